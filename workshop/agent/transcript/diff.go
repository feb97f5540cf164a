package transcript

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// The bounds of what a difference shows.
const (
	maxShown = 40  // differences of a section
	maxLine  = 160 // bytes of a line
	around   = 40  // bytes before and after the place where a long line differs
)

// sectionDiff says how a section came out otherwise than wanted: by members
// for lines of JSON, else by lines.
func sectionDiff(name, want, got string) string {
	var out list
	switch name {
	case wantEvents, wantConversation, wantRequests:
		out.jsonLines(want, got)
	default:
		out.text(want, got, 2)
	}
	return "-- " + name + " --\n" + out.String()
}

// list is what differs; it stops growing at maxShown.
type list struct {
	items []string
	more  int
}

func (l *list) add(format string, args ...any) {
	if len(l.items) == maxShown {
		l.more++
		return
	}
	l.items = append(l.items, fmt.Sprintf(format, args...))
}

func (l *list) String() string {
	s := strings.Join(l.items, "\n") + "\n"
	if l.more > 0 {
		s += fmt.Sprintf("… and %d more\n", l.more)
	}
	return s
}

// hunks aligns two texts by lines.
func hunks(want, got string, context int) []*udiff.Hunk {
	d, err := udiff.ToUnifiedDiff("want", "got", want, udiff.Lines(want, got), context)
	if err != nil { // edits that do not fit, which Lines does not make
		return nil
	}
	return d.Hunks
}

// text shows a difference in the way of diff -u, long lines shortened to where
// they differ.
func (l *list) text(want, got string, context int) {
	for _, h := range hunks(want, got, context) {
		l.add("@@ line %d @@", h.FromLine)
		eachChange(h, func(equal string, minus, plus []string) {
			if equal != "" {
				l.add(" %s", head(equal))
			}
			for i := range max(len(minus), len(plus)) {
				switch {
				case i >= len(plus):
					l.add("-%s", head(minus[i]))
				case i >= len(minus):
					l.add("+%s", head(plus[i]))
				default:
					w, g := shorten(minus[i], plus[i])
					l.add("-%s\n+%s", w, g)
				}
			}
		})
	}
}

// eachChange calls f for each equal line of a hunk, and for what was taken away
// and came in its place.
func eachChange(h *udiff.Hunk, f func(equal string, minus, plus []string)) {
	var minus, plus []string
	flush := func() {
		if len(minus)+len(plus) > 0 {
			f("", minus, plus)
		}
		minus, plus = nil, nil
	}
	for _, line := range h.Lines {
		text := strings.TrimSuffix(line.Content, "\n")
		switch line.Kind {
		case udiff.Delete:
			if len(plus) > 0 {
				flush()
			}
			minus = append(minus, text)
		case udiff.Insert:
			plus = append(plus, text)
		default:
			flush()
			f(text, nil, nil)
		}
	}
	flush()
}

// jsonLines shows how records or events differ. What stands in the same place
// and is of the same kind is compared by members.
func (l *list) jsonLines(want, got string) {
	for _, h := range hunks(want, got, 0) {
		at := h.FromLine
		eachChange(h, func(equal string, minus, plus []string) {
			for i := range max(len(minus), len(plus)) {
				switch {
				case i >= len(plus):
					l.add("line %d is missing: %s", at, head(minus[i]))
				case i >= len(minus):
					l.add("line %d is new: %s", at, head(plus[i]))
				case titleOf(minus[i]) != titleOf(plus[i]):
					l.add("line %d\n  -%s\n  +%s", at, head(minus[i]), head(plus[i]))
				default:
					l.members(fmt.Sprintf("line %d, %s", at, titleOf(minus[i])), minus[i], plus[i])
				}
				if i < len(minus) {
					at++
				}
			}
		})
	}
}

// titleOf says what a line of JSON is: the event, or whose result.
func titleOf(line string) string {
	var v struct {
		Method   string          `json:"method"`
		Type     string          `json:"type"`
		ToolName string          `json:"tool_name"`
		Event    string          `json:"event_kind"`
		Returned json.RawMessage `json:"returned"`
		Failed   json.RawMessage `json:"failed"`
		Messages json.RawMessage `json:"messages"`
		Params   struct {
			ToolName string `json:"tool_name"`
		} `json:"params"`
	}
	if json.Unmarshal([]byte(line), &v) != nil {
		return "text"
	}
	switch {
	case v.Returned != nil || v.Failed != nil:
		return "what the run returned"
	case v.Messages != nil:
		return "the request"
	}
	return strings.TrimRight(strings.Join([]string{v.Method + v.Type, v.ToolName + v.Params.ToolName + v.Event}, " "), " ")
}

// members shows in which members two lines of JSON differ.
func (l *list) members(title, want, got string) {
	var w, g any
	if json.Unmarshal([]byte(want), &w) != nil || json.Unmarshal([]byte(got), &g) != nil {
		l.add("%s\n  -%s\n  +%s", title, head(want), head(got))
		return
	}
	var out list
	out.value("", w, g)
	l.add("%s\n%s", title, strings.TrimSuffix(indent(out.String()), "\n"))
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ") + "\n"
}

// value shows where two values differ. JSON in a string, such as the arguments
// of a call, is looked into.
func (l *list) value(path string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			l.object(path, w, g)
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			l.array(path, w, g)
			return
		}
	case string:
		g, ok := got.(string)
		if !ok {
			break
		}
		if w != g {
			l.strings(path, w, g)
		}
		return
	}
	if w, g := compact(want), compact(got); w != g {
		l.add("%s\n  -%s\n  +%s", path, head(w), head(g))
	}
}

func (l *list) object(path string, want, got map[string]any) {
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		w, there := want[k]
		g, came := got[k]
		at := strings.TrimPrefix(path+"."+k, ".")
		switch {
		case !came:
			l.add("%s is missing: %s", at, head(compact(w)))
		case !there:
			l.add("%s is new: %s", at, head(compact(g)))
		default:
			l.value(at, w, g)
		}
	}
}

func (l *list) array(path string, want, got []any) {
	for i := range max(len(want), len(got)) {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case i >= len(got):
			l.add("%s is missing: %s", at, head(compact(want[i])))
		case i >= len(want):
			l.add("%s is new: %s", at, head(compact(got[i])))
		default:
			l.value(at, want[i], got[i])
		}
	}
}

func (l *list) strings(path, want, got string) {
	var w, g any
	if isObject(want) && isObject(got) && json.Unmarshal([]byte(want), &w) == nil && json.Unmarshal([]byte(got), &g) == nil && compact(w) != compact(g) {
		l.value(path, w, g)
		return
	}
	if strings.Contains(want, "\n") && strings.Contains(got, "\n") {
		var out list
		out.text(want, got, 1)
		l.add("%s\n%s", path, strings.TrimSuffix(indent(out.String()), "\n"))
		return
	}
	a, b := shorten(want, got)
	l.add("%s\n  -%s\n  +%s", path, a, b)
}

func isObject(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "{") }

func compact(v any) string {
	b, err := encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
