package pptx

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
)

// links reports the links of a text, in order.
func (p *page) links(s *placedShape, body *node) {
	nth := 0
	for n := range body.All() {
		if isLink(n) {
			text := ""
			if r := n.Parent.Parent; r != nil {
				text = p.t.Text(r.Child(nsA, "t"))
			}
			p.link(s, fmt.Sprintf("%s %d", n.Local, nth), text, n)
			nth++
		}
	}
}

// link reports what a click on, or the mouse over, a shape or a text does
// (21.1.2.3.5).
func (p *page) link(s *placedShape, key, text string, n *node) {
	what, warning := p.linkWords(n)
	t := inventory.Item{Kind: formats.FactLink, Key: s.key + " link " + key, At: s.at, Text: what, Sum: p.sum(nil, n), WarnAdded: warning}
	if strings.Contains(key, "over") {
		t.Text = "with the mouse over it: " + what
	}
	if text != "" {
		t.Text = quoted(text) + " → " + t.Text
	}
	p.addItem(t)
}

// linkWords returns what a link does, and what a person is to be warned of.
func (p *page) linkWords(n *node) (text, warning string) {
	goal, external := "", false
	if r := p.relByID(n.RelValue("id")); r != nil {
		if goal, external = r.Target, r.External; !external {
			if goal = p.labels[r.Target]; goal == "" {
				goal = path.Base(r.Target)
			}
		}
	}
	action := n.Value("action")
	verb, rest, _ := strings.Cut(strings.TrimPrefix(action, "ppaction://"), "?")
	query, _ := url.ParseQuery(rest)
	switch verb {
	case "":
		text = goal
	case "program":
		text, warning = strings.TrimSpace("runs the program "+goal), "a click runs a program"
	case "macro":
		text, warning = strings.TrimSpace("runs the macro "+query.Get("name")), "a click runs a macro"
	case "hlinksldjump":
		text = "goes to " + goal
	case "hlinkshowjump":
		text = "goes to: " + splitCapitals(query.Get("jump"))
	case "customshow":
		text = "shows a custom show"
	case "media":
		text = "plays it"
	case "ole":
		text = "opens the object"
	case "hlinkfile", "hlinkpres":
		text = "opens " + goal
	default:
		text = strings.TrimSpace(action + " " + goal)
	}
	if goal != "" && warning != "" {
		warning += ": " + goal
	}
	for a := range n.Attributes() {
		switch a.Name {
		case "tooltip":
			text += ", tip " + quoted(a.Value())
		case "highlightClick", "endSnd":
			if isTrue(a.Value()) {
				text += ", " + map[string]string{"highlightClick": "highlighted", "endSnd": "ends sounds"}[a.Name]
			}
		}
	}
	if snd := n.Child(nsA, "snd"); snd != nil {
		text += ", plays the sound " + quoted(snd.Value("name"))
	}
	if text = strings.TrimPrefix(text, ", "); text == "" {
		text = "does nothing"
	}
	return text, warning
}
