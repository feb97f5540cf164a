package pptx

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
)

// comparedSide is one of the two presentations that are compared.
type comparedSide struct {
	ctx    context.Context
	d      *deck
	pkg    *opc.Package
	in     *inventory.Inventory
	keys   map[string]string // pages (slides, layouts, masters, notes) by part: a name that both sides share
	labels map[string]string // what people call these pages
	single map[string]bool   // those that are on this side only
	sums   map[string]inventory.Sum
	colors map[string]map[string]string // of the theme, by master
	names  map[string]string            // of those who comment, by id
	count  int                          // of items
	err    error
}

func newSide(ctx context.Context, s *comparedDeck) *comparedSide {
	return &comparedSide{ctx: ctx, d: s.deck, pkg: s.pkg, in: inventory.New(s.pkg), keys: map[string]string{}, labels: map[string]string{}, single: map[string]bool{},
		sums: map[string]inventory.Sum{}, colors: map[string]map[string]string{}}
}

// namePage gives a page its name on both sides and the words for it.
func (s *comparedSide) namePage(part, key, label string) { s.keys[part], s.labels[part] = key, label }

// page is a part with a tree of shapes, on one side.
type page struct {
	covered int // cells below merged ones that were looked at
	*comparedSide
	t       *tree
	part    string
	key, at string
	rels    []opc.Relationship
	byID    map[string]int
	used    map[string]bool // ids that its XML names
	shapes  []*placedShape
	items   []inventory.Item
	others  int // numbers what has no name
}

// placedShape is a shape with its place on the page.
type placedShape struct {
	*shape
	key, at string
	in      *placedShape // the group that it is in
	frame   frame
	ok      bool // frame is known
	inDiff  bool // the items of the diff report its text
	both    bool // it is on both sides
}

func (s *comparedSide) openPage(part string) (*page, error) {
	p := &page{comparedSide: s, part: part, key: s.keys[part], at: s.labels[part], byID: map[string]int{}, used: map[string]bool{}}
	var err error
	if p.t, err = s.d.tree(s.ctx, part); err != nil {
		return nil, err
	}
	if p.rels, err = s.d.Rels(s.ctx, part); err != nil {
		return nil, err
	}
	for i, r := range p.rels {
		if _, twice := p.byID[r.ID]; !twice {
			p.byID[r.ID] = i
		}
	}
	s.in.Cover(part, opc.RelsName(part))
	return p, p.collect(shapes(p.t.spTree(), shown), nil, onSlide)
}

// collect lists the shapes of the page from back to front, those of a group
// behind it.
func (p *page) collect(list []*shape, group *placedShape, at place) error {
	for _, s := range list {
		pl := &placedShape{shape: s, in: group}
		var err error
		if pl.frame, pl.ok, err = p.d.frameOn(p.ctx, p.part, s, at); err != nil {
			return err
		}
		p.shapes = append(p.shapes, pl)
		if err := p.collect(s.kids, pl, at.inside(s)); err != nil {
			return err
		}
	}
	return p.ctx.Err()
}

// shapePair is a shape on both sides, or on one.
type shapePair struct{ a, b *placedShape }

// pairShapes finds the shapes of two pages that are the same: by id, and where
// a program numbered again by name and kind.
func pairShapes(a, b []*placedShape) []shapePair {
	var out []shapePair
	was := map[shapeKey]*placedShape{}
	for i, k := range placedKeys(a) {
		was[k] = a[i]
	}
	byName := map[string][]*placedShape{}
	name := func(s *placedShape) string { return s.kind() + " " + s.name() }
	used := map[*placedShape]bool{}
	mate := make([]*placedShape, len(b))
	for j, k := range placedKeys(b) {
		if o := was[k]; o != nil && o.n.Local == b[j].n.Local {
			mate[j], used[o] = o, true
		}
	}
	for _, s := range a {
		if !used[s] {
			byName[name(s)] = append(byName[name(s)], s)
		}
	}
	for j, s := range b {
		if list := byName[name(s)]; mate[j] == nil && len(list) > 0 && s.name() != "" {
			mate[j], byName[name(s)] = list[0], list[1:]
			used[list[0]] = true
		}
		out = append(out, shapePair{mate[j], s})
	}
	for _, s := range a {
		if !used[s] {
			out = append(out, shapePair{s, nil})
		}
	}
	return out
}

func placedKeys(list []*placedShape) []shapeKey {
	seen := map[string]int{}
	out := make([]shapeKey, len(list))
	for i, s := range list {
		id := s.cnv.Value("id")
		out[i] = shapeKey{id, seen[id]}
		seen[id]++
	}
	return out
}

// label returns what people call the shape on its page.
func (p *page) label(s *placedShape, twice map[string]int) string {
	name := oneLine(s.name())
	switch {
	case name == "":
		return fmt.Sprintf("%s, %s %s", p.at, s.kind(), s.cnv.Value("id"))
	case twice[name] > 1:
		return fmt.Sprintf("%s, “%s” (%s)", p.at, clip(name, 60), s.cnv.Value("id"))
	}
	return p.at + ", “" + clip(name, 60) + "”"
}

func namesOf(list []*placedShape) map[string]int {
	out := map[string]int{}
	for _, s := range list {
		out[oneLine(s.name())]++
	}
	return out
}

// comparePages makes items of what differs between two pages that are the same
// page on both sides. tells reports whether the items of the diff report the
// new text of a shape.
func comparePages(a, b *page, tells func(a, b *placedShape) bool) {
	pairs := pairShapes(a.shapes, b.shapes)
	before, after := namesOf(a.shapes), namesOf(b.shapes)
	for i, s := range pairs {
		key := fmt.Sprintf("%s shape %d", b.key, i)
		if s.b != nil {
			s.b.key, s.b.at = key, b.label(s.b, after)
		}
		if s.a != nil {
			s.a.key, s.a.at = key, a.label(s.a, before)
			if s.b != nil {
				s.a.at = s.b.at
				s.a.inDiff = tells(s.a, s.b)
				s.b.inDiff, s.a.both, s.b.both = s.a.inDiff, true, true
			}
		}
	}
	orders := newOrders(pairs, a.shapes)
	for _, s := range pairs {
		switch {
		case s.a == nil:
			b.addWhole(s.b)
		case s.b == nil:
			a.addWhole(s.a)
		case a.shapeSum(s.a) != b.shapeSum(s.b) || keyOf(s.a.in) != keyOf(s.b.in):
			describeBoth(a, s.a, b, s.b)
		}
		if s.a != nil && s.b != nil && orders[s.b] {
			a.addOrder(s.a)
			b.addOrder(s.b)
		}
	}
	a.addHiddenItems()
	b.addHiddenItems()
	a.addRest()
	b.addRest()
	a.addItems(b)
}

func keyOf(s *placedShape) string {
	if s == nil {
		return ""
	}
	return s.key
}

// shapeSum sums a shape without those that it groups, which are reported one by
// one.
func (p *page) shapeSum(s *placedShape) inventory.Sum {
	return p.sumBut(s.n, s.groups)
}

// groups reports whether n is a shape in the group s.
func (s *placedShape) groups(n *node) bool {
	return n.Parent == s.n && s.n.Is(nsP, "grpSp") && (isObject(n) || n.Is(nsMC, "AlternateContent"))
}

func isObject(n *node) bool {
	switch n.Local {
	case "sp", "grpSp", "graphicFrame", "pic", "cxnSp":
		return n.Space == nsP
	}
	return false
}

// maxPageItems and maxItems bound what is reported of a page and of a
// presentation.
const (
	maxPageItems = 5000
	maxItems     = 50000
)

// addItems puts the items of both pages into their inventories. A page with too
// many is reported in one.
func (p *page) addItems(q *page) {
	if len(p.items) > maxPageItems || len(q.items) > maxPageItems || p.count+q.count > maxItems {
		for _, x := range []*page{p, q} {
			x.items = []inventory.Item{{Kind: formats.FactPart, Key: x.key + " all", At: x.at, Text: "more than can be listed", Sum: x.sum(nil, x.t.Root), WarnAdded: "it changed in more ways than can be listed here"}}
		}
	}
	p.counterparts(q)
	q.counterparts(p)
	p.in.Add(p.items...)
	q.in.Add(q.items...)
	p.count += len(p.items)
	q.count += len(q.items)
	p.items, q.items = nil, nil
}

// isDetail reports the items that are a side of a larger one: when one comes,
// the larger one changed.
func isDetail(t inventory.Item) bool {
	switch t.Kind {
	case formats.FactShape, formats.FactPicture, formats.FactChart, formats.FactTable, formats.FactDiagram, formats.FactObject, formats.FactFormat, formats.FactStyle, formats.FactPart:
		return !strings.Contains(t.Key, " whole ")
	}
	return false
}

// counterparts gives each detail that only the other page has an empty one.
func (p *page) counterparts(q *page) {
	has := make(map[string]bool, len(p.items))
	for _, t := range p.items {
		has[t.Kind+" "+t.Key] = true
	}
	for _, t := range q.items {
		if isDetail(t) && !has[t.Kind+" "+t.Key] {
			p.items = append(p.items, inventory.Item{Kind: t.Kind, Key: t.Key, At: t.At, Sum: inventory.SumOf([]byte(t.Key)), Revertible: t.Revertible && strings.HasSuffix(t.Key, " alt")})
		}
	}
}

// addItem takes an item of the page; key tells it apart from others of the
// page.
func (p *page) addItem(t inventory.Item) {
	t.Key = p.key + " " + t.Key
	if t.At == "" {
		t.At = p.at
	}
	// What two shapes have alike is not one item that moved.
	t.Sum = inventory.SumOf([]byte(t.Key), t.Sum[:])
	p.items = append(p.items, t)
}

// addProperty adds a detail of a shape, or of the page when s is nil.
func (p *page) addProperty(s *placedShape, kind, key, text string, sums ...inventory.Sum) {
	t := inventory.Item{Kind: kind, Key: key, Text: text}
	for _, sum := range sums {
		t.Sum = inventory.SumOf(t.Sum[:], sum[:])
	}
	if s != nil {
		t.Key, t.At = s.key+" "+key, s.at
	}
	p.addItem(t)
}

// addElement adds an element that has no words of its own.
func (p *page) addElement(s *placedShape, kind, key, what string, n *node) {
	if n != nil {
		p.addProperty(s, kind, key, strings.TrimSpace(what+" "+p.describeElement(n, 160)), p.sum(nil, n))
	}
}

// addAttributes adds the attributes of n but those that are reported elsewhere.
func (p *page) addAttributes(s *placedShape, kind, key, what string, n *node, but ...string) {
	if n == nil {
		return
	}
	for a := range n.Attributes() {
		prefix, local, ok := strings.Cut(a.Name, ":")
		if !ok {
			prefix, local = "", a.Name
		}
		if prefix == "xmlns" || local == "xmlns" || local == "Ignorable" {
			continue
		}
		name := local
		if prefix != "" && n.Namespace(prefix) == nsR {
			name = "r:" + local
		}
		if (prefix == "" || name != local) && slices.Contains(but, name) {
			continue
		}
		value := a.Value()
		if prefix != "" && n.Namespace(prefix) == nsR {
			p.addProperty(s, kind, key+" r:"+local, strings.TrimSpace(what+" "+splitCapitals(local)), inventory.SumOf([]byte(p.relMeaning(value))))
			continue
		}
		p.addProperty(s, kind, key+" "+a.Name, strings.TrimSpace(what+" "+attrWords(local, value)))
	}
}

// addKids adds the child elements of n, but those that are reported elsewhere,
// each by itself.
func (p *page) addKids(s *placedShape, kind, key, what string, n *node, told func(*node) bool) {
	seen := map[string]int{}
	for k := range n.Kids() {
		if told != nil && told(k) {
			continue
		}
		p.addElement(s, kind, fmt.Sprintf("%s %s %d", key, k.Local, seen[k.Local]), what, k)
		seen[k.Local]++
	}
	if n != nil && n.First == nil {
		if text := strings.TrimSpace(p.t.Text(n)); text != "" {
			p.addProperty(s, kind, key+" text", what+" "+quoted(text), inventory.SumOf([]byte(text)))
		}
	}
}

// addRest reports all of a page that is not a shape.
func (p *page) addRest() {
	root := p.t.Root
	if isFalse(root.Value("show")) {
		p.addItem(inventory.Item{Kind: formats.FactHiddenSlide, Key: "hidden", WarnAdded: "the slide is hidden now", Revertible: true})
	}
	p.addAttributes(nil, formats.FactPart, "root", "", root, "show")
	if v, ok := root.Attr("show"); ok && !isFalse(v) {
		p.addProperty(nil, formats.FactView, "show", "marked as shown", inventory.SumOf([]byte(v)))
	}
	tree := p.t.spTree()
	p.addKids(nil, formats.FactPart, "page", "", root, func(n *node) bool {
		switch {
		case n.Is(nsP, "sldLayoutIdLst"):
			p.pageList("layouts", formats.FactMaster, n)
			return true
		case n.Is(nsP, "cSld"), p.addMotion(n):
			return true
		case n.Is(nsP, "txStyles"):
			p.textStyles(n)
			return true
		case n.Is(nsP, "hf"):
			p.addProperty(nil, formats.FactFooter, "footers", footersShown(n), p.sum(nil, n))
			return true
		}
		return false
	})
	content := root.Child(nsP, "cSld")
	p.addAttributes(nil, formats.FactPart, "content", "", content)
	p.addKids(nil, formats.FactPart, "content", "", content, func(n *node) bool {
		if n.Is(nsP, "bg") {
			p.background(n)
		}
		return n.Is(nsP, "bg") || n == tree
	})
	p.addAttributes(nil, formats.FactPart, "tree", "", tree)
	p.addKids(nil, formats.FactPart, "tree", "", tree, func(n *node) bool { return isObject(n) || n.Is(nsMC, "AlternateContent") })
	p.alternatives(tree)
	p.attached()
}

// pageList reports a list of masters or layouts, but those that are on one side
// only, which are their own facts.
func (p *page) pageList(key, kind string, list *node) {
	var names []string
	var both []*node
	for n := range list.Kids() {
		r := p.relByID(n.RelValue("id"))
		if r != nil && p.single[r.Target] {
			continue
		}
		if both = append(both, n); r != nil {
			names = append(names, p.labels[r.Target])
		}
	}
	p.addAttributes(nil, kind, key, "", list)
	if len(both) > 0 {
		p.addProperty(nil, kind, key, "has the "+clip(strings.Join(names, ", "), 300), p.sum(nil, both...))
	}
}

// alternatives reports what programs show that do not know the newest elements
// (ECMA-376-3, 7.5).
func (p *page) alternatives(tree *node) {
	for n := range tree.Kids() {
		switch {
		case n.Is(nsP, "grpSp"):
			p.alternatives(n)
		case n.Is(nsMC, "AlternateContent"):
			main := shownBranch(n)
			p.addProperty(nil, formats.FactPart, fmt.Sprintf("alternative %d", p.nth()), "what older programs show instead of an object", p.sum(func(k *node) bool {
				return k.Parent == main && (isObject(k) || k.Is(nsMC, "AlternateContent"))
			}, n))
			p.alternatives(main)
		}
	}
}

func (p *page) nth() int {
	p.others++
	return p.others
}

// shownBranch returns the branch of alternate content that a current program
// shows.
func shownBranch(alternatives *node) *node {
	for c := range alternatives.Kids() {
		if c.Space == nsMC && c.First != nil {
			return c
		}
	}
	return nil
}

// attached reports the parts that go with the page and that its XML does not
// name.
func (p *page) attached() {
	nth := map[string]int{}
	for _, r := range p.rels {
		kind := path.Base(r.Type)
		if p.used[r.ID] || r.External {
			continue
		}
		key := fmt.Sprintf("attached %s %d", kind, nth[kind])
		nth[kind]++
		switch r.Type {
		case relLayout, relMaster, relNotes, relSlide, relNotesMaster, relComments, relModernComments:
			if p.identity(r.Target) != "" || r.Type == relComments || r.Type == relModernComments {
				p.addRelated(r, key)
				continue
			}
		case relTheme:
			if p.pkg.Has(r.Target) { // reported with its master
				p.addProperty(nil, formats.FactPart, key, "has a theme")
				continue
			}
		}
		p.addProperty(nil, formats.FactPart, key, "a part that goes with it: "+splitCapitals(kind), inventory.SumOf([]byte(p.relSum(r))))
	}
}

// addRelated reports a page or comments that the page leads to.
func (p *page) addRelated(r opc.Relationship, key string) {
	switch r.Type {
	case relLayout:
		if strings.HasPrefix(p.key, "slide") {
			p.addProperty(nil, formats.FactLayout, "layout", p.labels[r.Target], inventory.SumOf([]byte(p.keys[r.Target])))
		}
	case relMaster:
		p.addProperty(nil, formats.FactMaster, key, "belongs to the "+p.labels[r.Target], inventory.SumOf([]byte(p.keys[r.Target])))
	case relComments, relModernComments:
		p.comments(r.Target)
	}
	if r.Type != relLayout && r.Type != relMaster && !(r.Type == relNotes && p.isSlide()) {
		p.addProperty(nil, formats.FactPart, key+" leads", "belongs with: "+splitCapitals(path.Base(r.Type)), inventory.SumOf([]byte(r.Type), []byte(p.identity(r.Target))))
	}
}
