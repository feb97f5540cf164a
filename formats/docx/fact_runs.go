package docx

import (
	"slices"
	"strings"

	"atelier/formats/inventory"
)

// object is what is in a text for anything that is not a character.
const object = "\uFFFC"

// profile is a paragraph taken apart into what a comparison asks for: its
// properties, its characters with their formatting, and what is between them.
// Objects themselves are told by the inventory.
type profile struct {
	props propSet
	text  string
	spans []runSpan
	marks []marker
	looks map[inventory.Sum]bool // the keys of spans
}

// runSpan is a stretch of text of one formatting.
type runSpan struct {
	start, end int
	format     *runFormat
}

type runFormat struct {
	props propSet
	key   inventory.Sum
	rPr   *el
}

// marker is something that is at a place in the text.
type marker struct {
	pos  int
	name string
}

type profiler struct {
	*profile
	words   *describer
	target  func(string) string
	sb      strings.Builder
	formats map[inventory.Sum]*runFormat
	names   map[string]string // of bookmarks by id
}

// profileOf takes a paragraph apart.
func (s *comparedSide) profileOf(p *part, e *el) *profile {
	b := &profiler{profile: &profile{props: propSet{}}, words: s.describer(p), target: s.relTargets(p), formats: map[inventory.Sum]*runFormat{}, names: map[string]string{}}
	b.content(e)
	b.text = b.sb.String()
	b.looks = make(map[inventory.Sum]bool, len(b.formats))
	for _, s := range b.spans {
		b.looks[s.format.key] = true
	}
	return b.profile
}

// inlineBoxes are the elements around runs, each with what it is called.
var inlineBoxes = map[string]string{"hyperlink": "link", "ins": "", "moveTo": "", "smartTag": "tag", "customXml": "tag", "fldSimple": "field", "dir": "text direction", "bdo": "text direction", "sdt": "control", "sdtContent": ""}

func (b *profiler) content(e *el) {
	for _, k := range e.kids {
		if k.local == "" || k.irrelevant() && k.local != "bookmarkEnd" {
			continue
		}
		name, box := inlineBoxes[k.local]
		switch {
		case k.w("pPr"):
			b.properties(k)
		case k.w("r"):
			b.run(k)
		case k.space == nsW && box:
			if name != "" {
				b.mark(name + " begins")
			}
			b.content(k)
			if name != "" {
				b.mark(name + " ends")
			}
		case k.w("del", "moveFrom"):
			b.mark("tracked deletion")
		case k.w("bookmarkStart"):
			b.names[k.attr("id")] = k.attr("name")
			if k.attr("name") != "_GoBack" {
				b.mark("bookmark " + k.attr("name"))
			}
		case k.w("bookmarkEnd"):
			if n := b.names[k.attr("id")]; n != "" && n != "_GoBack" {
				b.mark("end of bookmark " + n)
			}
		case k.w("commentRangeStart", "commentRangeEnd", "permStart", "permEnd"):
			b.mark(rangeNames[k.local])
		case k.w("sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr", "moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd", "customXmlInsRangeStart", "customXmlInsRangeEnd", "customXmlDelRangeStart", "customXmlDelRangeEnd"):
		default:
			b.object(k, nil)
		}
	}
}

var rangeNames = map[string]string{"commentRangeStart": "commented text begins", "commentRangeEnd": "commented text ends", "permStart": "editable text begins", "permEnd": "editable text ends"}

func (b *profiler) mark(name string) { b.marks = append(b.marks, marker{b.sb.Len(), name}) }

func (b *profiler) properties(pPr *el) {
	b.props = b.words.props(pPr, paraWords, b.target)
	for k, p := range b.words.props(pPr.child("rPr"), runWords, b.target) {
		p.label = "paragraph mark " + p.label
		b.props["mark "+k] = p
	}
}

func (b *profiler) run(r *el) {
	rPr := r.child("rPr")
	key := inventory.Sum{}
	if rPr != nil {
		key = rPr.sum(b.target, func(e *el) bool { return handledElsewhere[e.local] && e != rPr })
	}
	f := b.formats[key]
	if f == nil {
		f = &runFormat{b.words.props(rPr, runWords, b.target), key, rPr}
		b.formats[key] = f
	}
	for _, k := range r.kids {
		switch {
		case k.local == "" || k.irrelevant() || k.w("rPr", "instrText", "delInstrText", "footnoteRef", "endnoteRef", "annotationRef", "delText"):
		case k.w("t"):
			b.write(k.plain(), f)
		case k.w("tab"):
			b.write("\t", f)
		case k.w("noBreakHyphen"):
			b.write("\u2011", f)
		case k.w("softHyphen"):
			b.write("\u00ad", f)
		case k.w("cr", "br") && k.attr("type") != "page" && k.attr("type") != "column" && k.attr("clear") == "":
			b.write("\n", f)
		case k.w("fldChar"):
			b.mark("field " + k.attr("fldCharType"))
		default:
			b.object(k, f)
		}
	}
}

func (b *profiler) object(k *el, f *runFormat) {
	b.mark(objectName(k))
	b.write(object, f)
}

func (b *profiler) write(s string, f *runFormat) {
	if s == "" {
		return
	}
	start := b.sb.Len()
	b.sb.WriteString(s)
	if f == nil {
		return
	}
	if n := len(b.spans); n > 0 && b.spans[n-1].format == f && b.spans[n-1].end == start {
		b.spans[n-1].end = b.sb.Len()
		return
	}
	b.spans = append(b.spans, runSpan{start, b.sb.Len(), f})
}

// note is one item that a comparison of two paragraphs says.
type note struct {
	propChange
	on      string // the words it is about; "" for all of the paragraph
	partial bool
}

func (n note) String() string {
	if n.on == "" {
		return n.note
	}
	return n.note + ": “" + clip(strings.ReplaceAll(strings.TrimSpace(n.on), object, "▢"), 60) + "”"
}

// notesTo lists how the looks of a paragraph differ from a to b.
func (a *profile) notesTo(b *profile) []note {
	var out []note
	runs := a.runNotes(b)
	for _, c := range a.props.changesTo(b.props) {
		// What all of the text got, the mark at its end got too.
		base, mark := strings.CutPrefix(c.name, "mark ")
		if mark && slices.ContainsFunc(runs, func(n note) bool { return n.name == base && n.on == "" }) {
			continue
		}
		out = append(out, note{propChange: c})
	}
	out = append(out, runs...)
	return append(out, a.markNotes(b)...)
}

// kept lists the stretches that are in both texts: from, to, place in b.
func (a *profile) kept(b *profile) [][3]int {
	if a.text == b.text {
		return [][3]int{{0, len(a.text), 0}}
	}
	var out [][3]int
	pos, shift := 0, 0
	for _, r := range difference(a.text, b.text) {
		out = append(out, [3]int{pos, r.Start, pos + shift})
		pos = r.End
		shift += len(r.New) - (r.End - r.Start)
	}
	return append(out, [3]int{pos, len(a.text), pos + shift})
}

// runNotes compares the formatting of the characters that stay, then that of
// those that are new with the ones before.
func (a *profile) runNotes(b *profile) []note {
	type found struct {
		note
		size int
	}
	var list []*found
	at := map[string]*found{}
	total := 0
	add := func(changes []propChange, text string) {
		for _, c := range changes {
			f := at[c.name+"\x00"+c.note]
			if f == nil {
				f = &found{note: note{propChange: c}}
				at[c.name+"\x00"+c.note] = f
				list = append(list, f)
			} else if f.on != "" && !strings.HasSuffix(f.on, " ") {
				f.on += " … "
			}
			f.size += visibleLength(text)
			if len(f.on) < 400 {
				f.on += text
			}
		}
	}
	keptEnd := 0
	for _, k := range a.kept(b) {
		if k[2] > keptEnd {
			a.freshNotes(b, keptEnd, k[2], add)
			total += visibleLength(b.text[keptEnd:k[2]])
		}
		i, j := spanAt(a.spans, k[0]), spanAt(b.spans, k[2])
		for pos := k[0]; pos < k[1]; {
			off := k[2] - k[0]
			endA, fa := spanEnd(a.spans, &i, pos, k[1])
			endB, fb := spanEnd(b.spans, &j, pos+off, k[1]+off)
			end := min(endA, endB-off)
			if fa != nil && fb != nil && fa.key != fb.key {
				add(fa.props.changesTo(fb.props), a.text[pos:end])
			}
			pos = end
		}
		total += visibleLength(a.text[k[0]:k[1]])
		keptEnd = k[2] + k[1] - k[0]
	}
	if keptEnd < len(b.text) {
		a.freshNotes(b, keptEnd, len(b.text), add)
		total += visibleLength(b.text[keptEnd:])
	}
	var out []note
	for _, f := range list {
		if f.size >= total && total > 0 { // all of it
			f.on = ""
		}
		out = append(out, f.note)
	}
	return out
}

// visibleLength returns how much of a text a reader would call text.
func visibleLength(s string) int { return len(s) - strings.Count(s, object)*len(object) }

// freshNotes says how the text of b from start to end looks, where nothing in a
// looks so.
func (a *profile) freshNotes(b *profile, start, end int, add func([]propChange, string)) {
	j := spanAt(b.spans, start)
	for pos := start; pos < end; {
		to, f := spanEnd(b.spans, &j, pos, end)
		if f != nil && !a.looks[f.key] && visibleLength(b.text[pos:to]) > 0 {
			add(a.usual().changesTo(f.props), b.text[pos:to])
		}
		pos = to
	}
}

// usual returns the formatting of most of the text.
func (a *profile) usual() propSet {
	size := map[inventory.Sum]int{}
	var best *runFormat
	for _, s := range a.spans {
		size[s.format.key] += s.end - s.start
		if best == nil || size[s.format.key] > size[best.key] {
			best = s.format
		}
	}
	if best == nil {
		return propSet{}
	}
	return best.props
}

func spanAt(spans []runSpan, pos int) int {
	i, _ := slices.BinarySearchFunc(spans, pos, func(s runSpan, pos int) int {
		if s.end <= pos {
			return -1
		}
		return 1
	})
	return i
}

// spanEnd returns where the formatting at pos ends, at the latest limit, and
// what it is.
func spanEnd(spans []runSpan, i *int, pos, limit int) (int, *runFormat) {
	for *i < len(spans) && spans[*i].end <= pos {
		*i++
	}
	switch {
	case *i >= len(spans):
		return limit, nil
	case spans[*i].start > pos:
		return min(limit, spans[*i].start), nil
	}
	return min(limit, spans[*i].end), spans[*i].format
}

// markNotes says that something is elsewhere between the words. What came or
// went is reported by the inventory.
func (a *profile) markNotes(b *profile) []note {
	count := map[string]int{}
	for _, m := range a.marks {
		count[m.name]++
	}
	for _, m := range b.marks {
		count[m.name]--
	}
	kept := a.kept(b)
	place := func(pos int) int {
		for _, k := range kept {
			if pos >= k[0] && pos <= k[1] {
				return pos - k[0] + k[2]
			}
		}
		return -1
	}
	var out []note
	where := map[string][]int{}
	for _, m := range b.marks {
		where[m.name] = append(where[m.name], m.pos)
	}
	for _, m := range a.marks {
		if count[m.name] != 0 {
			continue
		}
		to := where[m.name][0]
		where[m.name] = where[m.name][1:]
		if p := place(m.pos); p >= 0 && p != to && !(a.text != b.text && touches(kept, p, to)) {
			c := propChange{name: "place of " + m.name, note: m.name + " stands elsewhere in the text"}
			if !slices.ContainsFunc(out, func(n note) bool { return n.name == c.name }) {
				out = append(out, note{propChange: c, partial: true})
			}
		}
	}
	return out
}

// touches reports whether only new text lies between two places of b.
func touches(kept [][3]int, p, q int) bool {
	lo, hi := min(p, q), max(p, q)
	for _, k := range kept {
		if start, end := k[2], k[2]+k[1]-k[0]; start < hi && end > lo {
			return false
		}
	}
	return true
}
