package consent

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"atelier/llm"
)

// namedFiles gathers the files that the calls of a conversation name. A call is
// looked at once, since each request repeats those before it.
type namedFiles struct {
	mu    sync.Mutex // protects calls
	calls map[string][]string
}

// maxNamed bounds the files that a row of the log names.
const maxNamed = 200

// fileArgs are the arguments by which tools of all catalogues name files.
var fileArgs = []string{"path", "paths", "docPath", "uri", "source_path", "target_path", "copy_from"}

// in returns the files named by the calls in ms that have their result there too,
// sorted.
func (n *namedFiles) in(ms []llm.Message) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.calls == nil {
		n.calls = map[string][]string{}
	}
	answered := map[string]bool{}
	for _, m := range ms {
		if m.Role == llm.RoleTool {
			answered[m.ToolCallID] = true
		}
	}
	found := map[string]bool{}
	for _, m := range ms {
		for _, c := range m.ToolCalls {
			if answered[c.ID] {
				n.addFiles(found, c)
			}
		}
	}
	list := slices.Sorted(maps.Keys(found))
	return list[:min(len(list), maxNamed)]
}

// addFiles adds the files that a call names to found. n.mu is held.
func (n *namedFiles) addFiles(found map[string]bool, c llm.ToolCall) {
	files, ok := n.calls[c.ID]
	if !ok {
		files = filesNamed(c.Function.Arguments)
		n.calls[c.ID] = files
	}
	for _, f := range files {
		found[f] = true
	}
}

// filesNamed returns the files that the arguments of a call name.
func filesNamed(args string) []string {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &all) != nil {
		return nil
	}
	var out []string
	for _, name := range fileArgs {
		var one string
		var many []string
		if json.Unmarshal(all[name], &one) == nil && one != "" {
			many = []string{one}
		} else if json.Unmarshal(all[name], &many) != nil {
			continue
		}
		for _, f := range many {
			if len(f) <= 1000 {
				out = append(out, f)
			}
		}
	}
	return out
}
