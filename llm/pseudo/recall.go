package pseudo

import (
	"regexp"
	"strconv"
)

// How a result says that it was shortened and how to get the rest, and how a
// page of recall_tool_result says that there is more.
var (
	shortened = regexp.MustCompile(`\n\.\.\. \(.*call recall_tool_result \{"entry_id":(\d+),"offset":(\d+)\}[^\n]*\)$`)
	hasMore   = regexp.MustCompile(`\n\.\.\. \(characters \d+ to \d+ of \d+; go on with offset (\d+)\)$`)
)

// join makes shortened results whole from the pages recalled so far; what is
// still missing goes to recalls.
func (p *progress) join() {
	for i := range p.steps {
		s := &p.steps[i]
		m := shortened.FindStringSubmatch(s.result)
		if m == nil || s.name == "recall_tool_result" {
			continue
		}
		entry, _ := strconv.ParseInt(m[1], 10, 64)
		from, _ := strconv.Atoi(m[2])
		text := prefix(s.result, from)
		for done := false; !done; {
			pg, ok := p.recalled(entry, from)
			if !ok {
				p.recalls = append(p.recalls, call{"recall_tool_result", recallArgs{EntryID: entry, Offset: from}})
				break
			}
			more := hasMore.FindStringSubmatchIndex(pg)
			if more == nil {
				s.result, done = text+pg, true
				continue
			}
			next, _ := strconv.Atoi(pg[more[2]:more[3]])
			if next <= from {
				break // it does not get on: leave the result as it is
			}
			text, from = text+pg[:more[0]], next
		}
	}
}

// recalled is the page of a logged result that begins at offset.
func (p *progress) recalled(entry int64, offset int) (string, bool) {
	for _, s := range p.steps {
		if s.name == "recall_tool_result" && !s.failed && s.args.EntryID == entry && s.args.Offset == offset {
			return s.result, true
		}
	}
	return "", false
}

// prefix is the first n characters of s.
func prefix(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
