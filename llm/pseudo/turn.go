package pseudo

import (
	"encoding/json"
	"strings"

	"atelier/llm"
)

// step is one tool call of the present request with its result.
type step struct {
	name   string
	args   arguments
	result string
	failed bool
}

// arguments are the members of any call that this model reads back.
type arguments struct {
	Path         string        `json:"path"`
	Offset       int           `json:"offset"`
	EntryID      int64         `json:"entry_id"`
	Translations []translation `json:"translations"`
}

type translation struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// file is one element of list_files' result.
type file struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Size int64  `json:"size_bytes"`
}

// page is the result of get_segments.
type page struct {
	Path     string    `json:"path"`
	Total    int       `json:"total"`
	Offset   int       `json:"offset"`
	HasMore  bool      `json:"has_more"`
	Segments []segment `json:"segments"`
}

type segment struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	MaxLength int    `json:"max_length"`
}

// receipt is the result of put_translations.
type receipt struct {
	Replaced int `json:"replaced"`
	Rejected []struct {
		ID     string `json:"id"`
		Reason string `json:"reason"`
	} `json:"rejected"`
}

// interrupted begins the result that stands for a call whose run ended before
// it did; such a call counts as never made.
const interrupted = "Error: interrupted"

// note begins what stands in the user's place and is said of the last answer
// only; the request is the one before.
const note = "[Your last answer "

// progress is the request being answered and what was done about it.
type progress struct {
	request string // the last message of the user
	before  string // the one before it
	steps   []step
	recalls []call // what to ask for before shortened results are whole
	turns   int    // assistant messages in the whole conversation, for call ids
}

func readProgress(messages []llm.Message) progress {
	var p progress
	last := -1
	for i, m := range messages {
		switch m.Role {
		case llm.RoleUser:
			if strings.HasPrefix(m.Content, note) {
				continue
			}
			last, p.before, p.request = i, p.request, m.Content
		case llm.RoleAssistant:
			p.turns++
		}
	}
	p.steps = stepsIn(messages[last+1:])
	p.join()
	return p
}

// stepsIn returns the calls in messages that were made, with their results.
func stepsIn(messages []llm.Message) (steps []step) {
	results := map[string]string{}
	for _, m := range messages {
		if m.Role == llm.RoleTool {
			results[m.ToolCallID] = m.Content
		}
	}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			result, ok := results[c.ID]
			if !ok || strings.HasPrefix(result, interrupted) || strings.HasPrefix(result, "Error: tool call limit") {
				continue
			}
			s := step{name: c.Function.Name, result: result, failed: strings.HasPrefix(result, "Error: ")}
			if json.Unmarshal([]byte(c.Function.Arguments), &s.args) == nil {
				steps = append(steps, s)
			}
		}
	}
	return steps
}

// files returns what the last list_files gave; listed is false when none was made.
// cut says that the listing was too long to be shown whole.
func (p progress) files() (files []file, listed, cut bool) {
	for _, s := range p.steps {
		if s.name != "list_files" || s.failed {
			continue
		}
		files, listed = nil, true
		d := json.NewDecoder(strings.NewReader(s.result))
		if _, err := d.Token(); err != nil {
			continue
		}
		for d.More() {
			var f file
			if d.Decode(&f) != nil {
				break
			}
			files = append(files, f)
		}
		_, err := d.Token()
		cut = err != nil
	}
	return files, listed, cut
}
