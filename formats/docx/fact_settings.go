package docx

import (
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
)

var settingWords = map[string]wording{"trackRevisions": {"track changes", nil}, "zoom": {"zoom", func(_ *describer, e *el) string { return strings.TrimSuffix(e.attr("percent"), "%") + " %" }}, "autoHyphenation": {"automatic hyphenation", nil}, "evenAndOddHeaders": {"different headers on even pages", nil}, "mirrorMargins": {"mirrored margins", nil},
	"defaultTabStop": {"tab stops every", func(_ *describer, e *el) string { return length20(e.attr("val")) }}, "updateFields": {"update fields on opening", nil}, "embedTrueTypeFonts": {"embed fonts", nil}, "view": {"view", valWord}, "proofState": {"state of proofing", attrsWord}, "decimalSymbol": {"decimal sign", valWord}, "listSeparator": {"list separator", valWord}}

// Settings that differ whenever a program saves.
var irrelevantSettings = map[string]bool{"rsids": true}

// addSettings adds the settings of the document (17.15), one by one; those that
// guard it as protection.
func (s *comparedSide) addSettings() error {
	name, doc, err := s.related(s.ctx, "settings")
	if err != nil || name == "" {
		return err
	}
	s.in.Cover(name)
	p := &part{textPart: textPart{name: name}, doc: doc}
	if s.rels[name], err = s.pkg.Rels(s.ctx, name); err != nil {
		return err
	}
	w := s.describer(p)
	props := propSet{}
	for _, k := range p.root().kids {
		switch {
		case k.local == "" || irrelevantSettings[k.local]:
		case k.w("documentProtection", "writeProtection"):
			s.in.Add(protection(k))
		case k.w("compat", "docVars"):
			s.settingList(w, k)
		case k.w("attachedTemplate"):
			to := "a template that is missing"
			if r, ok := s.relation(name, k.rel("id")); ok {
				to = r.Target
			}
			s.in.Add(inventory.Item{Kind: formats.FactLink, Key: "template", At: "settings", Text: "template " + to, Sum: k.sum(s.relTargets(p), nil)})
		case k.w("mailMerge"):
			s.in.Add(inventory.Item{Kind: formats.FactConnection, Key: "mail merge", At: "settings", Text: "mail merge: " + clip(kidsWord(nil, k), 200), Sum: k.sum(s.relTargets(p), nil), WarnAdded: "a mail merge reads data: " + clip(kidsWord(nil, k), 120)})
		default:
			w.addProp(props, k, settingWords, s.relTargets(p))
		}
	}
	for _, k := range sortedKeys(props) {
		s.in.Add(inventory.Item{Kind: formats.FactProperty, Key: "setting " + k, At: "settings", Text: props[k].String(), Sum: props[k].key})
	}
	return nil
}

func (s *comparedSide) settingList(w *describer, e *el) {
	for _, k := range e.kids {
		if k.local == "" {
			continue
		}
		label := splitWords(k.local)
		if n := k.attr("name"); n != "" {
			label = splitWords(n)
		}
		text := label + " " + k.attr("val")
		s.in.Add(inventory.Item{Kind: formats.FactProperty, Key: e.local + " " + label, At: map[string]string{"compat": "compatibility settings", "docVars": "document variables"}[e.local], Text: strings.TrimSpace(text), Sum: k.sum(nil, nil)})
	}
}

// protection returns the item of a restriction (17.15.1.29).
func protection(k *el) inventory.Item {
	t := inventory.Item{Kind: formats.FactProtection, Key: k.local, At: "document", Sum: k.sum(nil, nil)}
	if k.local == "writeProtection" {
		t.Text, t.WarnRemoved = "opened for reading is recommended, or a password to write", "the write protection was removed"
		return t
	}
	what := map[string]string{"readOnly": "no editing", "comments": "comments only", "trackedChanges": "tracked changes only", "forms": "filling in forms only"}[k.attr("edit")]
	if what == "" {
		what = "restricted editing"
	}
	on := k.attr("enforcement")
	if on != "1" && on != "true" && on != "on" {
		t.Text, t.WarnAdded = what+", not enforced", "the protection of the document is not enforced"
		return t
	}
	t.Text = what
	if k.attr("hash") != "" || k.attr("hashValue") != "" {
		t.Text += ", with a password"
	}
	t.WarnRemoved = "the protection of the document was removed"
	return t
}
