package agent

import (
	"slices"
	"strings"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools/attachments"
)

// eventCompacted is the event_kind of the record of a compaction. When the
// model wrote a summary, the record's text is that summary and its metadata
// ties it to the stored conversation: it stands for what is between the user
// message metaRequest (or the beginning) and the record metaBefore.
const (
	eventCompacted = "context_compacted"
	metaBefore     = "before"  // message id of the first record that stays word for word
	metaRequest    = "request" // message id of the user message that stays before the summary
)

// anchor finds the records at the ends of a stretch, so that a later run goes
// on with the same summary (W-54). nil when the conversation as the model sees
// it is not the stored one, as in private phases of a run.
func (r *run) anchor(s span) map[string]any {
	records, err := r.wb.Conversation().Records()
	if err != nil || s.to >= len(r.msgs) {
		return nil
	}
	before := matching(records, r.msgs, s.to)
	if before == "" {
		return nil
	}
	meta := map[string]any{metaBefore: before}
	if s.from > 0 {
		request := matching(records, r.msgs, s.from-1)
		if request == "" {
			return nil
		}
		meta[metaRequest] = request
	}
	return meta
}

// matching returns the id of the record of msgs[at], "" when it has none. It goes
// through both from their ends: messages of phases have no records, and others
// may have appended records meanwhile.
func matching(records []workshop.Record, msgs []llm.Message, at int) string {
	for j := len(msgs) - 1; j >= at; j-- {
		i := len(records) - 1
		for i >= 0 && !isOf(msgs[j], records[i]) {
			i--
		}
		switch {
		case i >= 0 && j == at:
			return records[i].MessageID
		case i >= 0:
			records = records[:i]
		}
	}
	return ""
}

// isOf reports whether a message is that of a record; a phase adds its task to
// what the user said, and shortening leaves the ids of calls.
func isOf(m llm.Message, rec workshop.Record) bool {
	switch {
	case isUsers(m) && rec.Type == workshop.TypeUser:
		text := userMessage(attachments.Text(rec)).Content
		return strings.TrimSuffix(m.Content, "\n\n"+blankNote) == text || strings.HasPrefix(m.Content, text+"\n\n[Phase: ")
	case m.Role == llm.RoleAssistant && rec.Type == workshop.TypeAssistant:
		return m.Content == rec.Text && slices.EqualFunc(m.ToolCalls, rec.ToolCalls, func(a llm.ToolCall, b workshop.RecordCall) bool { return a.ID == b.ID })
	}
	return false
}

// item is a record of the conversation as the model sees it, or a summary.
type item struct {
	record  int
	summary string
}

// items returns the records with each summary in the place of what it stands for.
func items(records []workshop.Record) []item {
	list := make([]item, len(records))
	for i := range records {
		list[i].record = i
	}
	find := func(id any) int {
		return slices.IndexFunc(list, func(it item) bool {
			return it.summary == "" && records[it.record].MessageID == id && records[it.record].Type != workshop.TypeSystem
		})
	}
	for _, rec := range records {
		if rec.Type != workshop.TypeSystem || rec.EventKind != eventCompacted || rec.Text == "" {
			continue
		}
		to := find(rec.Metadata[metaBefore])
		from := 0
		if id, ok := rec.Metadata[metaRequest]; ok {
			if from = find(id) + 1; from == 0 { // it is a part of a summary, and was told again behind it (withRequest)
				if from = behind(list, userAt(records, id)); from < 0 {
					continue
				}
			}
		}
		if to > from {
			list = slices.Replace(list, from, to, item{summary: rec.Text})
		}
	}
	return list
}

// userAt returns where the message of the user with an id is among records, -1 when
// it is not.
func userAt(records []workshop.Record, id any) int {
	return slices.IndexFunc(records, func(r workshop.Record) bool { return r.MessageID == id && r.Type == workshop.TypeUser })
}

// behind returns where the first record after the one at a place stands in a list, -1
// when there is none, or no such place.
func behind(list []item, at int) int {
	if at < 0 {
		return -1
	}
	return slices.IndexFunc(list, func(it item) bool { return it.summary == "" && it.record > at })
}

// withRequest puts the message that is answered behind the summary it is a part
// of, if it is: it can be run again after the conversation was summarised, and
// what is asked for is told word for word.
func withRequest(list []item, records []workshop.Record, messageID string) []item {
	at := userAt(records, messageID)
	if at < 0 || slices.ContainsFunc(list, func(it item) bool { return it.summary == "" && it.record == at }) {
		return list
	}
	to := behind(list, at)
	if to < 0 {
		to = len(list)
	}
	return slices.Insert(list, to, item{record: at})
}
