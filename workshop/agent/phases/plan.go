package phases

import (
	"fmt"
	"strconv"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/internal/textclip"
)

// Mark says how far an item is: the character between its brackets.
type Mark byte

// The marks of V-01.
const (
	Todo   Mark = ' '
	Done   Mark = 'x'
	Failed Mark = '!'
)

// Item is one step of a plan. Label, Description and Reason are single lines.
type Item struct {
	Label       string
	Description string
	Mark        Mark
	Reason      string // of a failed item
	Note        string // what the model said when it was done; any text
}

// Plan is plan.md.
type Plan struct {
	Original int // items it began with
	Items    []Item
}

const (
	dash     = " — "
	failedAt = " [Failed: "
)

// String writes the plan as plan.md: a comment with the original count, then
// "- [ ] 1. Label — Description" for each item with its note indented below.
func (p Plan) String() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "<!-- original_count: %d -->\n", p.Original)
	for i, it := range p.Items {
		sb.WriteString(it.line(i+1) + "\n")
		for line := range strings.Lines(it.Note) {
			sb.WriteString("  " + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	return sb.String()
}

func (it Item) line(number int) string {
	s := fmt.Sprintf("- [%c] %d. %s", it.Mark, number, it.Label)
	if it.Description != "" {
		s += dash + it.Description
	}
	if it.Mark == Failed {
		s += failedAt + it.Reason + "]"
	}
	return s
}

// Done counts the items that are not open any more, failed ones included.
func (p Plan) Done() int {
	n := 0
	for _, it := range p.Items {
		if it.Mark != Todo {
			n++
		}
	}
	return n
}

// Outline returns the plan for a model: every item with its mark, and of each note at
// most limit bytes.
func (p Plan) Outline(limit int) string {
	var sb strings.Builder
	for i, it := range p.Items {
		sb.WriteString(it.line(i+1) + "\n")
		for line := range strings.Lines(textclip.HeadBytes(it.Note, limit)) {
			sb.WriteString("  " + strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	return strings.TrimSuffix(sb.String(), "\n")
}

var (
	originalLine = lazyregexp.New(`^<!-- original_count: (\d+) -->$`)
	planLine     = lazyregexp.New(`^- \[([ xX!])\] \d+\. (.+)$`)
)

// ParsePlan reads plan.md; ok is false when it holds no item.
func ParsePlan(text string) (p Plan, ok bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := originalLine.FindStringSubmatch(line); m != nil && p.Original == 0 {
			p.Original, _ = strconv.Atoi(m[1])
			continue
		}
		if m := planLine.FindStringSubmatch(line); m != nil {
			p.Items = append(p.Items, itemOf(m[1], m[2]))
			continue
		}
		if note, found := strings.CutPrefix(line, "  "); found && len(p.Items) > 0 {
			last := &p.Items[len(p.Items)-1]
			if last.Note != "" {
				last.Note += "\n"
			}
			last.Note += note
		}
	}
	if p.Original <= 0 || p.Original > len(p.Items) {
		p.Original = len(p.Items)
	}
	return p, len(p.Items) > 0
}

func itemOf(mark, rest string) Item {
	it := Item{Mark: Mark(strings.ToLower(mark)[0])}
	if it.Mark == Failed {
		if i := strings.LastIndex(rest, failedAt); i >= 0 && strings.HasSuffix(rest, "]") {
			it.Reason = rest[i+len(failedAt) : len(rest)-1]
			rest = rest[:i]
		}
	}
	it.Label, it.Description, _ = strings.Cut(rest, dash)
	return it
}

// How models write items: with boxes as they are asked to, or just numbered.
var (
	boxed    = lazyregexp.New(`^\s*[-*+]?\s*\[[ xX!]?\]\s*(?:\**\d+[.)]\**\s*)?(.+)$`)
	numbered = lazyregexp.New(`^\**\d+[.)]\**\s+(.+)$`)
)

// ReadItems finds the items in an answer of a model: lines with boxes, and only
// where loose is set and there is none, numbered lines. All are open.
func ReadItems(answer string, loose bool) []Item {
	items := itemsBy(boxed, answer)
	if len(items) == 0 && loose {
		items = itemsBy(numbered, answer)
	}
	return items
}

func itemsBy(form *lazyregexp.Regexp, answer string) []Item {
	var items []Item
	for line := range strings.Lines(answer) {
		m := form.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		if it := split(m[1]); it.Label != "" {
			items = append(items, it)
		}
	}
	return items
}

// split takes a label and a description apart at the first dash, or colon.
func split(s string) Item {
	s = strings.Join(strings.Fields(s), " ")
	it := Item{Label: s, Mark: Todo}
	for _, sep := range []string{dash, " – ", " -- ", " - ", ": "} {
		if label, desc, ok := strings.Cut(s, sep); ok {
			it.Label, it.Description = label, desc
			break
		}
	}
	it.Label, it.Description = plain(it.Label), strings.TrimSpace(it.Description)
	if it.Label == "" {
		it.Label, it.Description = it.Description, ""
	}
	return it
}

// plain takes the emphasis off a label.
func plain(s string) string { return strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*:")) }

// Add appends items until there are twice as many as at the beginning, leaving
// out those whose label the plan has already. It returns how many were added
// and how many found no room.
func (p *Plan) Add(items []Item) (added, refused int) {
	has := map[string]bool{}
	for _, it := range p.Items {
		has[it.Label] = true
	}
	for _, it := range items {
		switch {
		case has[it.Label]:
			continue
		case len(p.Items) >= 2*p.Original:
			refused++
			continue
		}
		has[it.Label] = true
		p.Items = append(p.Items, it)
		added++
	}
	return added, refused
}
