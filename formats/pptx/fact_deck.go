package pptx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/internal/seqdiff"
)

// deckFacts compares two presentations beyond the texts of their slides.
type deckFacts struct {
	a, b *comparedSide
	same map[[2]string]bool // parts found the same with all they lead to
}

func compareDecks(ctx context.Context, a, b *comparedDeck, steps []seqdiff.Step) ([]formats.Fact, error) {
	f := &deckFacts{a: newSide(ctx, a), b: newSide(ctx, b), same: map[[2]string]bool{}}
	if err := f.names(a, b, steps); err != nil {
		return nil, err
	}
	for _, do := range []func() error{f.presentation, func() error { return f.slides(a, b, steps) }, f.layouts, f.others} {
		if err := do(); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, s := range []*comparedSide{f.a, f.b} {
		if s.err != nil {
			return nil, s.err
		}
	}
	return inventory.Compare(ctx, f.a.in, f.b.in)
}

// named is a page that is known by its name.
type named struct{ part, name string }

// names gives slides, their notes, layouts and masters names that both sides
// share.
func (f *deckFacts) names(a, b *comparedDeck, steps []seqdiff.Step) error {
	for _, st := range steps {
		key, label := fmt.Sprintf("slide %d", st.B+1), fmt.Sprintf("slide %d", st.B+1)
		if st.B < 0 {
			key, label = fmt.Sprintf("slide gone %d", st.A+1), fmt.Sprintf("slide %d", st.A+1)
		}
		for _, x := range []struct {
			s *comparedSide
			i int
			d *comparedDeck
		}{{f.a, st.A, a}, {f.b, st.B, b}} {
			if x.i < 0 {
				continue
			}
			part := x.d.deck.slides[x.i].part
			x.s.namePage(part, key, label)
			notes, err := x.s.d.related(x.s.ctx, part, relNotes)
			if err != nil {
				return err
			}
			for _, r := range notes {
				x.s.namePage(r.Target, "notes of "+key, "notes of "+label)
			}
		}
	}
	for _, kind := range []struct {
		word string
		list func(*comparedSide) ([]named, error)
	}{{"master", (*comparedSide).masterList}, {"layout", (*comparedSide).layoutList}, {"notes master", oneOf(relNotesMaster)}, {"handout master", oneOf(relHandoutMaster)}} {
		was, err := kind.list(f.a)
		if err != nil {
			return err
		}
		now, err := kind.list(f.b)
		if err != nil {
			return err
		}
		nameAlike(f.a, f.b, kind.word, was, now)
	}
	return nil
}

// nameAlike pairs pages by part and name, then by name, then by part.
func nameAlike(a, b *comparedSide, word string, was, now []named) {
	mate := make([]int, len(now))
	used := make([]bool, len(was))
	for j := range mate {
		mate[j] = -1
	}
	for _, alike := range []func(x, y named) string{
		func(x, _ named) string { return x.part + "\x00" + x.name }, func(x, _ named) string { return x.name }, func(x, _ named) string { return x.part },
	} {
		free := map[string][]int{}
		for i, x := range was {
			if !used[i] {
				free[alike(x, x)] = append(free[alike(x, x)], i)
			}
		}
		for j, y := range now {
			if list := free[alike(y, y)]; mate[j] < 0 && len(list) > 0 {
				mate[j], used[list[0]], free[alike(y, y)] = list[0], true, list[1:]
			}
		}
	}
	label := func(n named) string {
		if n.name == "" {
			return word
		}
		return word + " " + quoted(n.name)
	}
	for j, y := range now {
		key := fmt.Sprintf("%s %d", word, j)
		b.namePage(y.part, key, label(y))
		if i := mate[j]; i >= 0 {
			a.namePage(was[i].part, key, label(y))
		} else {
			b.single[y.part] = true
		}
	}
	for i, x := range was {
		if !used[i] {
			a.namePage(x.part, fmt.Sprintf("%s gone %d", word, i), label(x))
			a.single[x.part] = true
		}
	}
}

func oneOf(rel string) func(*comparedSide) ([]named, error) {
	return func(s *comparedSide) ([]named, error) {
		list, err := s.d.related(s.ctx, s.d.main, rel)
		var out []named
		for _, r := range list {
			out = append(out, named{part: r.Target})
		}
		return out, err
	}
}

// masterList lists the masters by the names of their themes.
func (s *comparedSide) masterList() ([]named, error) {
	list, err := s.d.related(s.ctx, s.d.main, relMaster)
	if err != nil {
		return nil, err
	}
	var out []named
	for _, r := range list {
		themes, err := s.d.related(s.ctx, r.Target, relTheme)
		if err != nil {
			return nil, err
		}
		name := ""
		if len(themes) > 0 {
			if t, err := s.d.tree(s.ctx, themes[0].Target); err == nil {
				name = t.Root.Value("name")
			}
		}
		out = append(out, named{r.Target, name})
	}
	return out, nil
}

// layoutList lists the layouts of all masters, and those that only slides name.
func (s *comparedSide) layoutList() ([]named, error) {
	masters, err := s.d.related(s.ctx, s.d.main, relMaster)
	if err != nil {
		return nil, err
	}
	from := make([]string, 0, len(masters)+len(s.d.slides))
	for _, m := range masters {
		from = append(from, m.Target)
	}
	for _, sl := range s.d.slides {
		from = append(from, sl.part)
	}
	seen := map[string]bool{}
	var out []named
	for _, part := range from {
		list, err := s.d.related(s.ctx, part, relLayout)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			if seen[r.Target] {
				continue
			}
			seen[r.Target] = true
			name, err := s.layoutName(r.Target)
			if err != nil {
				return nil, err
			}
			out = append(out, named{r.Target, name})
		}
	}
	return out, nil
}

func (s *comparedSide) layoutName(part string) (string, error) {
	t, err := s.d.tree(s.ctx, part)
	if err != nil {
		return "", err
	}
	return t.Root.Child(nsP, "cSld").Value("name"), nil
}

// sameTree reports whether a part of each side is stored in the same bytes with
// all it leads to; false says nothing. Parts in both under the same name need
// no word; the others count as reported.
func (f *deckFacts) sameTree(x, y string) bool {
	if same, ok := f.same[[2]string{x, y}]; ok {
		return same
	}
	f.same[[2]string{x, y}] = true // of a part that leads back to itself
	same := f.sameOne(x, y)
	f.same[[2]string{x, y}] = same
	if same && x != y {
		f.a.in.Cover(x, opc.RelsName(x))
		f.b.in.Cover(y, opc.RelsName(y))
	}
	return same
}

func (f *deckFacts) sameOne(x, y string) bool {
	a, b := f.a.pkg, f.b.pkg
	if !a.SamePart(x, b, y) || a.ContentType(x) != b.ContentType(y) {
		return false
	}
	rx, err := f.a.d.Rels(f.a.ctx, x)
	if err != nil {
		return false
	}
	ry, err := f.b.d.Rels(f.b.ctx, y)
	if err != nil || len(rx) != len(ry) {
		return false
	}
	for i, r := range rx {
		q := ry[i]
		if r.ID != q.ID || r.Type != q.Type || r.External != q.External {
			return false
		}
		kx, ky := f.a.identity(r.Target), f.b.identity(q.Target)
		switch {
		case r.External:
			if r.Target != q.Target {
				return false
			}
		case kx != "" || ky != "":
			if kx != ky || f.a.labels[r.Target] != f.b.labels[q.Target] {
				return false
			}
		case !a.Has(r.Target) && !b.Has(q.Target) && r.Target == q.Target:
		case !f.sameTree(r.Target, q.Target):
			return false
		}
	}
	return true
}

// pages compares two pages unless they are the same.
func (f *deckFacts) pages(x, y string, tells func(a, b *placedShape) bool) error {
	if f.sameTree(x, y) {
		return nil
	}
	p, err := f.a.openPage(x)
	if err != nil {
		return err
	}
	q, err := f.b.openPage(y)
	if err != nil {
		return err
	}
	p.at = q.at
	comparePages(p, q, tells)
	return nil
}

func (f *deckFacts) slides(a, b *comparedDeck, steps []seqdiff.Step) error {
	for _, st := range steps {
		var err error
		switch {
		case st.A < 0:
			err = f.b.oneSidedSlide(b.deck.slides[st.B].part, b.slides[st.B])
		case st.B < 0:
			err = f.a.oneSidedSlide(a.deck.slides[st.A].part, a.slides[st.A])
		default:
			err = f.slide(a, b, st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// slide compares a slide that is on both sides, with its notes.
func (f *deckFacts) slide(a, b *comparedDeck, st seqdiff.Step) error {
	x, y := a.slides[st.A], b.slides[st.B]
	label := fmt.Sprintf("slide %d", st.B+1)
	if st.Moved {
		t := inventory.Item{Kind: formats.FactSlide, Key: fmt.Sprintf("slide %d", st.B), At: label, Text: titleWords(y), Revertible: true}
		f.b.in.Add(t)
		t.At = fmt.Sprintf("slide %d", st.A+1)
		f.a.in.Add(t)
	}
	if x.id != y.id {
		key := fmt.Sprintf("id of slide %d", st.B)
		f.a.in.Add(inventory.Item{Kind: formats.FactSlide, Key: key, At: label, Text: "number in the file " + x.id})
		f.b.in.Add(inventory.Item{Kind: formats.FactSlide, Key: key, At: label, Text: "number in the file " + y.id})
	}
	texts := map[string]string{}
	for i, k := range shapeKeys(x.shapes) {
		texts[fmt.Sprint(k)] = x.shapes[i].text
	}
	differ := map[string]bool{}
	for i, k := range shapeKeys(y.shapes) {
		old, ok := texts[fmt.Sprint(k)]
		differ[y.shapes[i].id] = differ[y.shapes[i].id] || ok && old != y.shapes[i].text
	}
	if err := f.pages(a.deck.slides[st.A].part, b.deck.slides[st.B].part, func(_, s *placedShape) bool { return differ[s.cnv.Value("id")] }); err != nil {
		return err
	}
	return f.notes(a.deck.slides[st.A].part, b.deck.slides[st.B].part, x.notes, y.notes)
}

func titleWords(s comparedSlide) string {
	if s.title == "" {
		return "without a title"
	}
	return quoted(s.title)
}

// notes compares the notes pages of a slide.
func (f *deckFacts) notes(x, y, was, now string) error {
	before, err := f.a.d.related(f.a.ctx, x, relNotes)
	if err != nil {
		return err
	}
	after, err := f.b.d.related(f.b.ctx, y, relNotes)
	if err != nil {
		return err
	}
	for i := range max(len(before), len(after)) {
		switch {
		case i >= len(before):
			err = f.b.oneSidedPage(after[i].Target, formats.FactNote, now)
		case i >= len(after):
			err = f.a.oneSidedPage(before[i].Target, formats.FactNote, was)
		default:
			if was != "" && now == "" {
				f.a.in.Add(inventory.Item{Kind: formats.FactNote, Key: f.a.keys[before[i].Target], At: f.b.labels[after[i].Target], Text: quotedAll(was), WarnRemoved: "lost: the notes " + quoted(was)})
			} else if was == "" && now != "" {
				f.b.in.Add(inventory.Item{Kind: formats.FactNote, Key: f.b.keys[after[i].Target], At: f.b.labels[after[i].Target], Text: quotedAll(now)})
			}
			err = f.pages(before[i].Target, after[i].Target, func(_, s *placedShape) bool {
				return was != now && !isFooterType(s.phType()) && s.phType() != "hdr"
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// oneSidedPage reports a page that is on this side only.
func (s *comparedSide) oneSidedPage(part, kind, text string) error {
	p, err := s.openPage(part)
	if err != nil {
		return err
	}
	sum := p.sum(nil, p.t.Root)
	p.attachments()
	t := inventory.Item{Kind: kind, Key: "page " + p.key, At: p.at, Text: quotedAll(text), Sum: inventory.SumOf([]byte(p.key), sum[:])}
	if text == "" {
		t.Text = formats.Count(len(p.shapes), "shape")
	}
	if kind == formats.FactNote && text != "" {
		t.WarnRemoved = "lost: the notes " + quoted(text)
	}
	s.in.Add(t)
	return nil
}

// attachments counts the parts that go with a page as reported.
func (p *page) attachments() {
	for _, r := range p.rels {
		if !r.External {
			p.relSum(r)
		}
	}
}

// oneSidedSlide reports a slide that is on this side only: what is on it, and
// what of that a person is to be warned of.
func (s *comparedSide) oneSidedSlide(part string, seen comparedSlide) error {
	p, err := s.openPage(part)
	if err != nil {
		return err
	}
	count, twice := map[string]int{}, namesOf(p.shapes)
	for i, sh := range p.shapes {
		sh.key, sh.at = fmt.Sprintf("%s shape %d", p.key, i), p.label(sh, twice)
		p.addWhole(sh)
	}
	for _, t := range p.items {
		count[t.Kind]++
	}
	whole := p.items
	p.items = nil
	p.addHiddenItems()
	p.addRest()
	var kept []inventory.Item
	for _, t := range append(whole, p.items...) {
		switch {
		case t.Kind == formats.FactComment:
			count[t.Kind]++
		case (t.WarnAdded != "" || t.Kind == formats.FactLink) && t.Kind != formats.FactHiddenSlide:
			t.WarnRemoved = ""
			kept = append(kept, t)
		}
	}
	p.attachments()
	t := inventory.Item{Kind: formats.FactSlide, Key: "page " + p.key, At: p.at, Text: titleWords(seen), Sum: inventory.SumOf([]byte(p.key))}
	var lost []string
	for _, k := range []struct{ kind, word string }{{formats.FactPicture, "picture"}, {formats.FactChart, "chart"}, {formats.FactDiagram, "diagram"}, {formats.FactTable, "table"}, {formats.FactMedia, "media file"}, {formats.FactObject, "embedded object"}, {formats.FactComment, "comment"}} {
		if n := count[k.kind]; n > 0 {
			lost = append(lost, formats.Count(n, k.word))
		}
	}
	notes, err := s.d.related(s.ctx, part, relNotes)
	if err != nil {
		return err
	}
	for _, r := range notes {
		n, err := s.openPage(r.Target)
		if err != nil {
			return err
		}
		n.sum(nil, n.t.Root)
		n.attachments()
	}
	if seen.notes != "" {
		lost = append(lost, "notes")
	}
	if seen.layout != "" {
		t.Text += ", layout " + quoted(seen.layout)
	}
	if len(lost) > 0 {
		t.Text += ", with " + strings.Join(lost, ", ")
		t.WarnRemoved = "lost with the slide: " + strings.Join(lost, ", ")
	}
	if seen.hidden {
		t.Text += ", hidden"
		t.WarnAdded = "the new slide is hidden"
	}
	s.in.Add(append([]inventory.Item{t}, kept...)...)
	return nil
}
