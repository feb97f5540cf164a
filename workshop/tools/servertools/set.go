package servertools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/textclip"
	"atelier/llm"
	"atelier/llm/tokens"
)

// FindTools is the tool by which a model finds tools that are not offered at once.
const FindTools = "find_tools"

// DefaultBudget is how many tokens the descriptions of servers' tools may take of
// each request before the model has to find them.
const DefaultBudget = 2000

const (
	findMost   = 8    // tools that one query finds
	loadedMost = 2    // budgets that found tools may take of a request
	namesMost  = 1500 // bytes of names that are listed
)

// Set is the tools of servers that a run knows. It belongs to one goroutine; its
// methods that change nothing may be called by several.
type Set struct {
	budget   int
	entries  []entry // by name
	deferred bool    // together they take more than the budget
	loaded   []string
	gone     map[string]bool // tools there were before
}

// NewSet returns a set without tools.
func NewSet(budget int) *Set { return &Set{budget: budget, gone: map[string]bool{}} }

// Empty reports whether there are no tools.
func (s *Set) Empty() bool { return s == nil || len(s.entries) == 0 }

// Deferred reports whether the tools have to be found.
func (s *Set) Deferred() bool { return s != nil && s.deferred }

// Update replaces the tools, and reports whether that made a difference.
func (s *Set) Update(list []Tool) bool {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	same := slices.EqualFunc(s.entries, list, func(e entry, t Tool) bool {
		return e.tool.Name == t.Name && e.tool.Hash == t.Hash && e.tool.ReadOnly == t.ReadOnly
	})
	if same {
		return false
	}
	for _, e := range s.entries {
		s.gone[e.tool.Name] = true
	}
	s.entries = make([]entry, len(list))
	all := make([]llm.Tool, len(list))
	for i, t := range list {
		s.entries[i], all[i] = entryOf(t), t.asLLM()
		delete(s.gone, t.Name)
	}
	s.deferred = tokens.OfTools(all) > s.budget
	s.loaded = slices.DeleteFunc(s.loaded, func(name string) bool { _, ok := s.Lookup(name); return !ok })
	s.trim()
	return true
}

// Lookup returns the tool of a name.
func (s *Set) Lookup(name string) (Tool, bool) {
	if s == nil {
		return Tool{}, false
	}
	i, ok := slices.BinarySearchFunc(s.entries, name, func(e entry, name string) int { return cmp.Compare(e.tool.Name, name) })
	if !ok {
		return Tool{}, false
	}
	return s.entries[i].tool, true
}

// Gone reports whether there was a tool of that name before.
func (s *Set) Gone(name string) bool { return s != nil && s.gone[name] }

// IsOffered reports whether the model has the description of a tool.
func (s *Set) IsOffered(name string) bool {
	return !s.deferred || slices.Contains(s.loaded, name)
}

// Load offers tools from the next request on. Those that were loaded first make room
// for them.
func (s *Set) Load(names ...string) {
	for _, name := range names {
		if _, ok := s.Lookup(name); ok && !slices.Contains(s.loaded, name) {
			s.loaded = append(s.loaded, name)
		}
	}
	s.trim()
}

// trim takes loaded tools away, the first first, until the others fit.
func (s *Set) trim() {
	for len(s.loaded) > 1 && tokens.OfTools(s.loadedTools(nil)) > loadedMost*s.budget {
		s.loaded = s.loaded[1:]
	}
}

func (s *Set) loadedTools(may func(Tool) bool) []llm.Tool {
	var out []llm.Tool
	for _, name := range s.loaded {
		if t, ok := s.Lookup(name); ok && (may == nil || may(t)) {
			out = append(out, t.asLLM())
		}
	}
	return out
}

// Offered returns what a request offers of the tools that may allows; nil allows all.
func (s *Set) Offered(may func(Tool) bool) []llm.Tool {
	if s.Empty() {
		return nil
	}
	allowed := s.allowed(may)
	if len(allowed) == 0 {
		return nil
	}
	if s.deferred {
		return append([]llm.Tool{findTool(allowed)}, s.loadedTools(may)...)
	}
	out := make([]llm.Tool, len(allowed))
	for i, e := range allowed {
		out[i] = e.tool.asLLM()
	}
	return out
}

func (s *Set) allowed(may func(Tool) bool) []entry {
	if may == nil {
		return s.entries
	}
	var out []entry
	for _, e := range s.entries {
		if may(e.tool) {
			out = append(out, e)
		}
	}
	return out
}

// findTool returns the description of find_tools, which names the servers.
func findTool(entries []entry) llm.Tool {
	var servers []string
	for i := 0; i < len(entries); {
		n := i
		for n < len(entries) && entries[n].tool.Server == entries[i].tool.Server {
			n++
		}
		servers = append(servers, fmt.Sprintf("%s (%d)", entries[i].tool.Server, n-i))
		i = n
	}
	return llm.Tool{Type: "function", Function: llm.FunctionDef{Name: FindTools,
		Description: "Finds tools of other programs, with all that they take; they can be called after that. The programs and how many tools each has: " +
			textclip.HeadBytes(strings.Join(servers, ", "), namesMost/3) + ".",
		Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"What the tool should do, in English words or with its name"}},"required":["query"]}`)}}
}

// Find answers a call of find_tools in at most limit bytes, and loads what it found of
// the tools that may allows. Failed says that the answer is an error.
func (s *Set) Find(args string, may func(Tool) bool, limit int) (text string, failed bool) {
	var a struct {
		Query string `json:"query"`
	}
	if err := json.Unmarshal([]byte(args), &a); err != nil {
		return fmt.Sprintf("Error: invalid arguments: %s", err), true
	}
	if a.Query = textclip.Bytes(strings.TrimSpace(a.Query), 1000); a.Query == "" {
		return "Error: query is required: say what the tool should do", true
	}
	allowed := s.allowed(may)
	found := rank(allowed, a.Query)
	if len(found) == 0 {
		return textclip.HeadBytes("No tool fits these words. Use others, or the name of one of these tools: "+nameList(allowed), limit), false
	}
	var sb strings.Builder
	var names, left []string
	for i, t := range found {
		one := describe(t)
		if i == 0 && len(one) > limit*3/4 {
			one = fmt.Sprintf("%s: %s\n", t.Name, textclip.HeadBytes(t.Description, limit/4)) // its schema comes with the next request
		}
		if i >= findMost || sb.Len()+len(one) > limit*3/4 {
			left = append(left, t.Name)
			continue
		}
		sb.WriteString(one)
		names = append(names, t.Name)
	}
	slices.Reverse(names) // the best stays longest
	s.Load(names...)
	text = sb.String()
	if len(left) > 0 {
		text += textclip.HeadBytes(fmt.Sprintf("%d more fit less well: %s", len(left), strings.Join(left, ", ")), limit/8)
	}
	return strings.TrimSuffix(text, "\n"), false
}

// Describe returns all that a model has to know to call a tool.
func Describe(t Tool) string { return strings.TrimSuffix(describe(t), "\n") }

func describe(t Tool) string {
	return fmt.Sprintf("%s: %s\nArguments: %s\n", t.Name, t.Description, t.Schema)
}

func nameList(entries []entry) string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.tool.Name
	}
	return textclip.HeadBytes(strings.Join(names, ", "), namesMost)
}
