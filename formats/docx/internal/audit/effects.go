package audit

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"atelier/formats"
	"atelier/internal/lazyregexp"
	"atelier/internal/seqdiff"
)

const (
	mostMoves  = 3       // labels that an effect names one by one
	mostStale  = 3       // references that an effect names
	typedText  = 4 << 20 // bytes of text in which typed references are looked for
	mostDiffer = 50_000  // paragraphs between the first and the last change that are compared one by one
)

// Effects says what an edit changed elsewhere in a document: list labels and
// numbers of headings, references and tables of contents that show what was,
// and what is shown twice. It names only what is so after the edit and was not
// before it.
func Effects(ctx context.Context, before, after *Document) []string {
	e := &effects{before: before, after: after}
	if !e.pair(ctx) {
		return e.out
	}
	e.labels()
	e.fields(ctx)
	e.contents(ctx)
	e.typed(ctx)
	e.twice()
	if ctx.Err() != nil {
		return nil
	}
	return e.out
}

type effects struct {
	before, after *Document
	was           []int            // by paragraph after the edit: what it was before, -1 for a new one
	now           map[int]int      // the other way round, of those whose label changed
	kept          []bool           // paragraphs before the edit that are still there
	fieldsOf      map[int][]string // what the fields of a paragraph show
	out           []string
}

func (e *effects) add(format string, args ...any) {
	e.out = append(e.out, fmt.Sprintf(format, args...))
}

// pair finds the paragraphs that were there before; false when nothing changed.
func (e *effects) pair(ctx context.Context) bool {
	a, b := e.before.Paras, e.after.Paras
	same := func(x, y *Para) bool { return x.Text == y.Text && x.Body == y.Body }
	from := 0
	for from < min(len(a), len(b)) && same(&a[from], &b[from]) {
		from++
	}
	behind := 0
	for behind < min(len(a), len(b))-from && same(&a[len(a)-1-behind], &b[len(b)-1-behind]) {
		behind++
	}
	e.was = make([]int, len(b))
	for i := range b {
		switch {
		case i < from:
			e.was[i] = i
		case i >= len(b)-behind:
			e.was[i] = i - len(b) + len(a)
		default:
			e.was[i] = -1
		}
	}
	e.between(ctx, from, len(a)-behind, len(b)-behind)
	e.now, e.kept, e.fieldsOf = map[int]int{}, make([]bool, len(a)), map[int][]string{}
	for i, w := range e.was {
		if w >= 0 {
			e.kept[w] = true
		}
		if w >= 0 && a[w].Label != b[i].Label {
			e.now[w] = i
		}
	}
	for _, f := range e.after.Fields {
		e.fieldsOf[f.Para] = append(e.fieldsOf[f.Para], f.Result)
	}
	return ctx.Err() == nil
}

// between pairs the paragraphs from one on, up to the ends of what changed.
func (e *effects) between(ctx context.Context, from, endA, endB int) {
	n, m := endA-from, endB-from
	switch {
	case n == 0 || m == 0:
		return
	case n == m && n <= 8: // the same paragraphs with another text
		for i := range n {
			e.was[from+i] = from + i
		}
		return
	case n > mostDiffer || m > mostDiffer:
		e.add("more than %d paragraphs changed: whether labels and references moved on was not looked at", mostDiffer)
		return
	}
	seed := maphash.MakeSeed()
	key := func(p *Para) uint64 { return maphash.String(seed, p.Text) }
	a, b := e.before.Paras[from:endA], e.after.Paras[from:endB]
	steps := seqdiff.Lists(n, m, seqdiff.Options{
		KeyA: func(i int) uint64 { return key(&a[i]) }, KeyB: func(i int) uint64 { return key(&b[i]) },
		Weightless: func(i int) bool { return strings.TrimSpace(a[i].Text) == "" },
	})
	for _, s := range steps {
		if ctx.Err() != nil {
			return
		}
		if s.Kind == seqdiff.Equal {
			e.was[from+s.B] = from + s.A
		}
	}
}

// counted reports whether a label counts, as a bullet does not.
func counted(label string) bool {
	return strings.ContainsFunc(label, func(r rune) bool { return unicode.IsLetter(r) && r != 'o' || unicode.IsDigit(r) })
}

// labels tells of labels and numbers that moved on.
func (e *effects) labels() {
	var lists, heads []string
	for i, w := range e.was {
		if w < 0 {
			continue
		}
		a, b := &e.before.Paras[w], &e.after.Paras[i]
		if a.Label == b.Label || b.Text == "" || !counted(a.Label) && !counted(b.Label) {
			continue
		}
		said := fmt.Sprintf("%s %s → %s", b.At, labelWord(a.Label), labelWord(b.Label))
		if b.Level > 0 {
			heads = append(heads, said+" "+quote(b.Text))
		} else {
			lists = append(lists, said)
		}
	}
	e.list(heads, "heading number changed", "heading numbers changed", mostMoves)
	e.list(lists, "list label changed", "list labels changed", mostMoves)
}

func labelWord(label string) string {
	if label == "" {
		return "none"
	}
	return quote(label)
}

// list adds an effect on several places: their number, the first of them and
// the last.
func (e *effects) list(said []string, one, several string, most int) {
	if len(said) == 0 {
		return
	}
	count := formats.Count(len(said), one, several)
	if n := len(said); n > most+1 {
		said = append(said[:most:most], "…", said[n-1])
	}
	e.out = append(e.out, count+": "+strings.Join(said, ", "))
}

// fields tells of cross references whose target is gone, or shows another number
// or text than they do.
func (e *effects) fields(ctx context.Context) {
	var stale, lost []string
	for n, f := range e.after.Fields {
		if n%256 == 0 && ctx.Err() != nil {
			return
		}
		name, target := fieldTarget(f.Instr)
		if target == "" || name == "HYPERLINK" || f.Para < 0 {
			continue
		}
		old, had := e.before.Bookmarks[strings.ToLower(target)]
		at, has := e.after.Bookmarks[strings.ToLower(target)]
		shown := fmt.Sprintf("%s shows %s", e.after.Paras[f.Para].At, quote(f.Result))
		switch {
		case had && (!has || old >= 0 && at < 0):
			lost = append(lost, shown)
		case !had || old < 0 || at < 0 || name != "REF":
		default:
			if now := e.newText(f, &e.before.Paras[old], &e.after.Paras[at]); now != "" {
				stale = append(stale, shown+", now "+quote(now))
			}
		}
	}
	e.list(stale, "cross reference shows what was before until its field is updated", "cross references show what was before until their fields are updated", mostStale)
	e.list(lost, "cross reference lost its target", "cross references lost their target", mostStale)
}

// newText returns what a reference to a paragraph shows when it is updated, ""
// when that is what it showed before the edit.
func (e *effects) newText(f Field, old, now *Para) string {
	number := slices.ContainsFunc(words(f.Instr), func(w string) bool { return w == `\r` || w == `\n` || w == `\w` })
	switch {
	case number && old.Label != now.Label && squeeze(f.Result) != squeeze(now.Label):
		return now.Label
	case !number && old.Text != now.Text && f.Result != "" && strings.Contains(old.Text, f.Result) && !strings.Contains(now.Text, f.Result):
		return strings.TrimSpace(now.Text)
	}
	return ""
}

// entryNumber is the page at the end of an entry of a table of contents.
var entryNumber = lazyregexp.New(`[\t\s.…]*(?:\d+|[ivxlcIVXLC]+)\s*$`)

var pageNumber = lazyregexp.New(`^\s*(?:[\dA-Z]+[-–.])?(?:\d+|[ivxlcIVXLC]+)?\s*$`)

// entries are the texts of a document's tables of contents, without pages.
func (d *Document) entries() map[string]bool {
	out := map[string]bool{}
	for i := range d.Paras {
		if p := &d.Paras[i]; p.TOC {
			text := p.Text
			cut := strings.LastIndexByte(text, '\t')
			switch {
			case cut >= 0 && !pageNumber.MatchString(text[cut:]): // the tab is behind the label
			case cut >= 0:
				text = text[:cut]
			default:
				text = entryNumber.ReplaceAllString(text, "")
			}
			out[squeeze(p.Label+text)] = true
		}
	}
	return out
}

// contents tells of headings that differ from their entry in a table of contents,
// and of entries without a heading.
func (e *effects) contents(ctx context.Context) {
	entries := e.after.entries()
	if len(entries) == 0 || ctx.Err() != nil {
		return
	}
	old := e.before.entries()
	covered := map[int]bool{} // levels that the table had
	known := map[string]bool{}
	for i := range e.before.Paras {
		p := &e.before.Paras[i]
		if p.Level > 0 && !p.TOC {
			key := squeeze(p.Label + p.Text)
			known[key] = true
			covered[p.Level] = covered[p.Level] || old[key] || old[squeeze(p.Text)]
		}
	}
	var missing []string
	have := map[string]bool{}
	for i := range e.after.Paras {
		p := &e.after.Paras[i]
		if p.Level <= 0 || p.TOC || strings.TrimSpace(p.Text) == "" {
			continue
		}
		key := squeeze(p.Label + p.Text)
		have[squeeze(p.Text)] = true
		if covered[p.Level] && !known[key] && !entries[key] && !entries[squeeze(p.Text)] {
			missing = append(missing, p.At+" "+quote(strings.TrimSpace(p.Label+" "+p.Text)))
		}
	}
	gone := 0
	for i := range e.before.Paras {
		p := &e.before.Paras[i]
		if p.Level <= 0 || p.TOC || have[squeeze(p.Text)] {
			continue
		}
		for _, key := range []string{squeeze(p.Label + p.Text), squeeze(p.Text)} {
			if key != "" && entries[key] {
				gone++
				entries[key] = false // once
			}
		}
	}
	e.list(missing, "heading differs from the table of contents until that is updated", "headings differ from the table of contents until that is updated", mostStale)
	if gone > 0 {
		e.out = append(e.out, formats.Count(gone, "entry", "entries")+" of the table of contents without a heading, until that is updated")
	}
}

// typed tells of numbers typed in the text that named one clause and now name
// another or none.
func (e *effects) typed(ctx context.Context) {
	if len(e.now) == 0 && len(e.before.Paras) <= len(e.after.Paras) {
		return
	}
	old, now := e.before.byNumber(), e.after.byNumber()
	var said []string
	room := typedText
	for i := range e.after.Paras {
		p := &e.after.Paras[i]
		if i%256 == 0 && ctx.Err() != nil {
			return
		}
		if p.TOC || e.was[i] < 0 {
			continue
		}
		if room -= len(p.Text); room < 0 {
			e.add("references typed in the text were looked for in the first %d MiB only", typedText>>20)
			break
		}
		for _, r := range mentions(p.Text, sectionRef, sectionAnd) {
			was, ok := old[r.num]
			if !ok || was < 0 || e.inField(i, r.num) {
				continue
			}
			is, ok := now[r.num]
			if ok && is >= 0 && e.was[is] == was {
				continue
			}
			meant := e.before.Paras[was]
			if j, ok := e.now[was]; ok {
				said = append(said, fmt.Sprintf("%s says %s, which was %s and is now %s", p.At, quote(r.word+" "+r.num), quote(meant.Text), labelWord(e.after.Paras[j].Label)))
			} else if !e.kept[was] {
				said = append(said, fmt.Sprintf("%s says %s, which was %s and is gone", p.At, quote(r.word+" "+r.num), quote(meant.Text)))
			}
		}
	}
	e.list(said, "reference typed in the text names another place now", "references typed in the text name another place now", mostStale)
}

// byNumber returns the paragraphs that have a number as their list label:
// headings before others, -1 where several have.
func (d *Document) byNumber() map[string]int {
	out := map[string]int{}
	heads := map[string]bool{}
	for i := range d.Paras {
		p := &d.Paras[i]
		if p.Label == "" || p.TOC || p.Note || p.Edge {
			continue
		}
		num, _ := p.number()
		if num == "" {
			continue
		}
		head := p.Level > 0
		if _, ok := out[num]; ok && head == heads[num] {
			out[num] = -1
		} else if !ok || head {
			out[num], heads[num] = i, head
		}
	}
	return out
}

// inField reports whether a field of a paragraph shows a number.
func (e *effects) inField(para int, num string) bool {
	return slices.ContainsFunc(e.fieldsOf[para], func(shown string) bool { return strings.Contains(shown, num) })
}

// twice tells of texts that begin with the label that their list shows.
func (e *effects) twice() {
	var said []string
	for i := range e.after.Paras {
		p := &e.after.Paras[i]
		if !p.labelTyped() || e.was[i] >= 0 && e.before.Paras[e.was[i]].labelTyped() {
			continue
		}
		said = append(said, p.At+" "+quote(p.Text))
	}
	e.list(said, "text begins with the label that its list shows before it", "texts begin with the label that their list shows before them", mostMoves)
}

// labelTyped reports whether a text begins with its list label.
func (p *Para) labelTyped() bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.Text, " \t"), p.Label)
	return ok && p.Label != "" && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t"))
}
