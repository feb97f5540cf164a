package pseudo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// part is how a result says that it was shortened and how to get the rest, and
// how a page of recall_tool_result says that there is more.
type part struct {
	Chunk struct {
		Next string `json:"next"`
	} `json:"chunk_info"`
	Text string `json:"text"`
}

// partOf reads a result that is a part.
func partOf(result string) (p part, ok bool) {
	ok = strings.HasPrefix(result, `{"chunk_info":`) && json.Unmarshal([]byte(result), &p) == nil
	return p, ok
}

// join makes shortened results whole from the pages recalled so far; what is
// still missing goes to recalls.
func (p *progress) join() {
	for i := range p.steps {
		s := &p.steps[i]
		head, ok := partOf(s.result)
		var entry int64
		var from int
		if !ok || s.name == "recall_tool_result" {
			continue
		}
		if n, _ := fmt.Sscanf(head.Chunk.Next, `recall_tool_result {"entry_id":%d,"offset":%d}`, &entry, &from); n != 2 {
			continue
		}
		if whole, ok := p.joined(head.Text, entry, from); ok {
			s.result = whole
		}
	}
}

// joined returns the result that begins with text, made whole from the pages of a log
// entry from an offset on. ok is false when a page is missing, which goes to recalls.
func (p *progress) joined(text string, entry int64, from int) (whole string, ok bool) {
	for {
		pg, ok := p.recalled(entry, from)
		if !ok {
			p.recalls = append(p.recalls, call{"recall_tool_result", recallArgs{EntryID: entry, Offset: from}})
			return "", false
		}
		more, cut := partOf(pg)
		if !cut {
			return text + pg, true
		}
		next := 0
		if n, _ := fmt.Sscanf(more.Chunk.Next, "offset=%d", &next); n != 1 {
			return text + more.Text, true
		}
		if next <= from {
			return "", false // it does not get on: the result stays as it is
		}
		text, from = text+more.Text, next
	}
}

// recalled returns the page of a logged result that begins at offset.
func (p *progress) recalled(entry int64, offset int) (string, bool) {
	for _, s := range p.steps {
		if s.name == "recall_tool_result" && !s.failed && s.args.EntryID == entry && s.args.Offset == offset {
			return s.result, true
		}
	}
	return "", false
}
