package docx

import (
	"context"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// maxLevels is how many levels a list has (17.9.3).
const maxLevels = 9

// numbering is numbering.xml: definitions of lists, and the instances through
// which paragraphs and styles refer to them (17.9).
type numbering struct {
	defs  map[string]*listDef // by abstractNumId
	nums  map[string]*listNum // by numId
	links map[string]string   // numbering style → numId, for definitions that only name one
}

// listDef is an abstractNum.
type listDef struct {
	id        string
	levels    [maxLevels]*listLevel
	styleLink string // numStyleLink: the definition is behind this style
}

// listLevel is a lvl.
type listLevel struct {
	start   int
	format  string // numFmt
	pattern string // of a custom format, such as "001, 002, 003, ..."
	text    string // lvlText, with %1 to %9 for the numbers of levels
	restart int    // lvlRestart; -1: after any higher level
	style   string // pStyle: paragraphs in this style are of the level
	legal   bool   // isLgl: all numbers of the label are decimal
	picture bool   // the bullet is a picture
}

// listNum is a num.
type listNum struct {
	def    string
	levels [maxLevels]*listLevel // lvlOverride with its own definition
	starts [maxLevels]int        // startOverride; -1: none
}

// numbering reads the part once; a document without it has no lists.
func (d *document) numbering(ctx context.Context) (*numbering, error) {
	if d.lists != nil {
		return d.lists, nil
	}
	name, doc, err := d.related(ctx, "numbering")
	if err != nil {
		return nil, err
	}
	nb, err := parseNumbering(doc)
	if err != nil {
		return nil, corrupt(name, err)
	}
	for id, st := range d.styles {
		if st.kind == "numbering" {
			nb.links[id] = st.list.num
		}
	}
	d.lists = nb
	return nb, nil
}

func parseNumbering(doc []byte) (*numbering, error) {
	nb := &numbering{defs: map[string]*listDef{}, nums: map[string]*listNum{}, links: map[string]string{}}
	if len(doc) == 0 {
		return nb, nil
	}
	r := numberingReader{numbering: nb}
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Space == nsW {
			r.element(t)
		}
	}
	return nb, sc.Err()
}

// numberingReader is where the reading of numbering.xml stands.
type numberingReader struct {
	*numbering
	def   *listDef
	num   *listNum
	at    int // level of the lvlOverride that is open
	level *listLevel
}

func (r *numberingReader) element(t xmlscan.Token) {
	val := t.AttrLocal("val")
	switch t.Local {
	case "abstractNum":
		r.def, r.num, r.level = &listDef{id: t.AttrLocal("abstractNumId")}, nil, nil
		r.defs[r.def.id] = r.def
	case "numStyleLink":
		if r.def != nil {
			r.def.styleLink = val
		}
	case "num":
		r.num, r.def, r.level = &listNum{}, nil, nil
		for i := range r.num.starts {
			r.num.starts[i] = -1
		}
		r.nums[t.AttrLocal("numId")] = r.num
	case "abstractNumId":
		if r.num != nil {
			r.num.def = val
		}
	case "lvlOverride":
		r.at, r.level = levelOf(t.AttrLocal("ilvl")), nil
	case "startOverride":
		if r.num != nil && r.at >= 0 {
			r.num.starts[r.at] = max(0, atoi(val))
		}
	case "lvl":
		r.level = &listLevel{restart: -1}
		switch at := levelOf(t.AttrLocal("ilvl")); {
		case r.num != nil && r.at >= 0:
			r.num.levels[r.at] = r.level
		case r.def != nil && at >= 0:
			r.def.levels[at] = r.level
		}
	default:
		if r.level != nil {
			r.level.element(t, val)
		}
	}
}

// element takes in a child of the level.
func (l *listLevel) element(t xmlscan.Token, val string) {
	switch t.Local {
	case "start":
		l.start = max(0, atoi(val))
	case "numFmt":
		// A format of newer applications is before the one for others, in an
		// mc:AlternateContent.
		if l.format == "" {
			l.format, l.pattern = val, t.AttrLocal("format")
		}
	case "lvlText":
		l.text = val
	case "lvlRestart":
		l.restart = max(0, atoi(val))
	case "pStyle":
		l.style = val
	case "isLgl":
		l.legal = onOff(t)
	case "lvlPicBulletId":
		l.picture = true
	}
}

// onOff returns the value of an element that is true when it is there
// (17.17.4).
func onOff(t xmlscan.Token) bool {
	v := t.AttrLocal("val")
	return v != "0" && v != "false" && v != "off"
}

// levelOf returns a level from 0, -1 when val is none.
func levelOf(val string) int {
	if n := atoi(val); n >= 0 && n < maxLevels {
		return n
	}
	return -1
}

// def returns the definition behind an instance, through styles where the
// definition only names one (17.9.21); nil when there is none.
func (nb *numbering) def(num string) *listDef {
	for range 5 { // links may run in a circle
		n := nb.nums[num]
		if n == nil {
			return nil
		}
		def := nb.defs[n.def]
		if def == nil || def.styleLink == "" {
			return def
		}
		next, ok := nb.links[def.styleLink]
		if !ok || next == num {
			return def
		}
		num = next
	}
	return nil
}

// level returns one level of an instance, nil when it is not defined.
func (nb *numbering) level(num string, at int) *listLevel {
	n, def := nb.nums[num], nb.def(num)
	switch {
	case n == nil || def == nil || at < 0 || at >= maxLevels:
		return nil
	case n.levels[at] != nil:
		return n.levels[at]
	}
	return def.levels[at]
}

// start returns the number with which a level of an instance begins.
func (nb *numbering) start(num string, at int) int {
	if n := nb.nums[num]; n != nil && n.starts[at] >= 0 {
		return n.starts[at]
	}
	if l := nb.level(num, at); l != nil {
		return l.start
	}
	return 1
}

// listRef is what a paragraph or style says of its list (17.3.1.19).
type listRef struct {
	num string // numId: "" says nothing, "0" that there is no list
	at  int    // ilvl; -1: says nothing
}

// membership is the list that a paragraph is in.
type membership struct {
	num   string
	level int
	style string // the style that brings it; "" when the paragraph names it
}

// listOf returns the list of a paragraph that names style and ref, by itself or
// by its style; ok is false when it is in none.
func (nb *numbering) listOf(s styles, styleID string, ref listRef) (m membership, ok bool) {
	chain := s.chain(styleID)
	m = membership{num: ref.num, level: ref.at}
	for _, st := range chain {
		if m.num == "" && st.list.num != "" {
			m.num, m.style = st.list.num, st.id
		}
	}
	if m.num == "" || m.num == "0" || nb.def(m.num) == nil {
		return membership{}, false
	}
	// A style's level is the one that names it; what the style itself says
	// counts where none does (17.9.23).
	for _, st := range chain {
		for at := range maxLevels {
			if l := nb.level(m.num, at); m.level < 0 && m.style != "" && l != nil && l.style == st.id {
				m.level = at
			}
		}
		if m.level < 0 && st.list.at >= 0 {
			m.level = st.list.at
		}
	}
	m.level = max(0, m.level)
	return m, nb.level(m.num, m.level) != nil
}

// chain returns a paragraph style with those it is based on; "" is the default
// one.
func (s styles) chain(id string) []style {
	if id == "" {
		id = s.standard()
	}
	var out []style
	for range 20 { // basedOn may run in a circle
		st, ok := s[id]
		if !ok {
			break
		}
		out = append(out, st)
		if st.basedOn == "" || st.basedOn == id {
			break
		}
		id = st.basedOn
	}
	return out
}

// standard returns the id of the default paragraph style, "" when there is
// none.
func (s styles) standard() string {
	best := ""
	for id, st := range s {
		if st.isDefault && st.kind == "paragraph" && (best == "" || id < best) {
			best = id
		}
	}
	return best
}

// label returns the name of a style as applications show it: built-in names are
// kept in lower case.
func (s styles) label(id string) string {
	st, ok := s[id]
	if !ok || st.name == "" {
		return id
	}
	if strings.ToLower(st.name) != st.name {
		return st.name
	}
	fields := strings.Fields(st.name)
	for i, f := range fields {
		if f == "toc" {
			fields[i] = "TOC"
		} else {
			fields[i] = strings.ToUpper(f[:1]) + f[1:]
		}
	}
	return strings.Join(fields, " ")
}
