package revert

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/seqdiff"
)

// aligner compares the XML of a part on both sides.
type aligner struct {
	ctx   context.Context
	a, b  *tree.Tree
	row   int           // the row of a worksheet that is compared
	full  func(int) int // the place in a itself, where a is without some rows; may be nil
	units []place
}

// place is where two documents differ.
type place struct {
	splices []xmlscan.Splice // as an edit of b
	key     string           // names the place in a, or what only b has
	row     int              // of a worksheet, 0 elsewhere
}

// alignXML returns the places in which two documents differ, each with the splices that
// put the bytes of a in the place of those of b; nil when they cannot be compared.
func alignXML(ctx context.Context, a, b []byte) ([]place, error) {
	return alignShifted(ctx, a, b, nil)
}

// alignShifted is alignXML for a and b without some rows; full gives places of a.
func alignShifted(ctx context.Context, a, b []byte, full func(int) int) ([]place, error) {
	ta, err := tree.Parse(ctx, a, nil)
	if err != nil {
		return nil, ctx.Err()
	}
	tb, err := tree.Parse(ctx, b, nil)
	if err != nil {
		return nil, ctx.Err()
	}
	al := &aligner{ctx: ctx, a: ta, b: tb, full: full}
	if !al.sameNames(ta.Root, tb.Root) {
		return nil, nil
	}
	if err := al.element(ta.Root, tb.Root); err != nil {
		return nil, err
	}
	return al.units, nil
}

// sameNames reports whether the prefixes that a declares mean the same in b, so that
// elements of a can stand in b.
func (al *aligner) sameNames(a, b *tree.Node) bool {
	if a.Space != b.Space || a.Local != b.Local {
		return false
	}
	for at := range a.Attributes() {
		if prefix, ok := strings.CutPrefix(at.Name, "xmlns:"); ok && b.Namespace(prefix) != xmlscan.Transitional(at.Value()) {
			return false
		}
		if at.Name == "xmlns" && b.Namespace("") != xmlscan.Transitional(at.Value()) {
			return false
		}
	}
	return true
}

// add notes a place; how and at name it among those of a.
func (al *aligner) add(how string, at int, splices ...xmlscan.Splice) {
	if al.full != nil {
		at = al.full(at)
	}
	al.units = append(al.units, place{splices, fmt.Sprint(how, at), al.row})
}

// only notes an element that b alone has, in the element in of a.
func (al *aligner) only(in, b *tree.Node) {
	h := fnv.New64a()
	h.Write(al.b.Raw(b))
	al.add(fmt.Sprintf("only %x in ", h.Sum64()), in.Start, xmlscan.Splice{Start: b.Start, End: b.After})
}

// replace puts the element a in the place of b.
func (al *aligner) replace(a, b *tree.Node) {
	al.add("element ", a.Start, xmlscan.Splice{Start: b.Start, End: b.After, New: al.a.Raw(a)})
}

// whole are elements that go back as one: what they hold has no meaning without the
// rest of it.
var whole = map[string]bool{"c": true, "si": true, "xf": true, "dxf": true, "style": true, "abstractNum": true, "num": true, "oMath": true, "definedName": true,
	"dataValidation": true, "cfRule": true, "graphicFrame": true, "pic": true}

// tables are elements whose children others name by their place: nothing in them goes
// back, and more of them do no harm.
var tables = map[string]bool{"cellXfs": true, "cellStyleXfs": true, "fonts": true, "fills": true, "borders": true, "numFmts": true, "dxfs": true, "sst": true}

// element compares two elements of the same name.
func (al *aligner) element(a, b *tree.Node) error {
	if bytes.Equal(al.a.Raw(a), al.b.Raw(b)) {
		return nil
	}
	if err := al.ctx.Err(); err != nil {
		return err
	}
	switch {
	case tables[a.Local] && a.Parent != nil || a.Local == "sst":
		return nil
	case a.Local == "p" && a.First != nil && b.First != nil:
		al.paragraph(a, b)
		return nil
	case a.Local == "c" && sameFormula(al.a, a, al.b, b):
		return nil
	case whole[a.Local], a.Empty != b.Empty, a.First == nil, b.First == nil, hasText(al.a, a), hasText(al.b, b):
		al.replace(a, b)
		return nil
	}
	if tagA, tagB := al.a.Doc[a.Start:a.End], al.b.Doc[b.Start:b.End]; !bytes.Equal(tagA, tagB) && a.Parent != nil {
		al.add("tag ", a.Start, xmlscan.Splice{Start: b.Start, End: b.End, New: tagA})
	}
	return al.children(a, b)
}

func hasText(t *tree.Tree, n *tree.Node) bool { return strings.TrimSpace(t.Text(n)) != "" }

// paragraph compares two paragraphs (w:p, a:p): their properties are one unit, all
// else that differs is another.
func (al *aligner) paragraph(a, b *tree.Node) {
	kidsA, kidsB := kidsOf(a), kidsOf(b)
	propsA, propsB := properties(kidsA), properties(kidsB)
	kidsA, kidsB = kidsA[len(propsA):], kidsB[len(propsB):]
	switch {
	case len(propsA) > 0 && len(propsB) > 0 && !bytes.Equal(al.a.Raw(propsA[0]), al.b.Raw(propsB[0])):
		al.replace(propsA[0], propsB[0])
	case len(propsA) > 0 && len(propsB) == 0:
		al.add("properties ", a.Start, xmlscan.Splice{Start: b.End, End: b.End, New: al.a.Raw(propsA[0])})
	case len(propsA) == 0 && len(propsB) > 0:
		al.add("properties ", a.Start, xmlscan.Splice{Start: propsB[0].Start, End: propsB[0].After})
	}
	same := func(i, j int) bool { return bytes.Equal(al.a.Raw(kidsA[i]), al.b.Raw(kidsB[j])) }
	from := 0
	for from < len(kidsA) && from < len(kidsB) && same(from, from) {
		from++
	}
	endA, endB := len(kidsA), len(kidsB)
	for endA > from && endB > from && same(endA-1, endB-1) {
		endA, endB = endA-1, endB-1
	}
	if from == endA && from == endB {
		return
	}
	at := b.End
	switch {
	case from > 0:
		at = kidsB[from-1].After
	case len(propsB) > 0:
		at = propsB[0].After
	}
	end := at
	if endB > from {
		at, end = kidsB[from].Start, kidsB[endB-1].After
	}
	var now []byte
	for _, k := range kidsA[from:endA] {
		now = append(now, al.a.Raw(k)...)
	}
	al.add("paragraph ", a.Start, xmlscan.Splice{Start: at, End: end, New: now})
}

// properties returns the first child where it is w:pPr or a:pPr.
func properties(kids []*tree.Node) []*tree.Node {
	if len(kids) > 0 && kids[0].Local == "pPr" {
		return kids[:1]
	}
	return nil
}

func kidsOf(n *tree.Node) (out []*tree.Node) {
	for k := range n.Kids() {
		out = append(out, k)
	}
	return out
}

// children aligns what is in two elements.
func (al *aligner) children(a, b *tree.Node) error {
	kidsA, kidsB := kidsOf(a), kidsOf(b)
	if done, err := al.numbered(a, b, kidsA, kidsB); done || err != nil {
		return err
	}
	infoA, infoB := al.describe(al.a, kidsA), al.describe(al.b, kidsB)
	steps := seqdiff.Lists(len(kidsA), len(kidsB), seqdiff.Options{
		KeyA:    func(i int) uint64 { return infoA[i].hash },
		KeyB:    func(j int) uint64 { return infoB[j].hash },
		Similar: func(i, j int) float64 { return infoA[i].similar(infoB[j]) },
	})
	after := make(map[int]int, len(steps)) // place in b behind the counterpart of a child of a
	moved := map[int]int{}                 // child of a: child of b
	for _, s := range steps {
		if s.A >= 0 && s.B >= 0 {
			if s.Moved {
				moved[s.A] = s.B
			} else {
				after[s.A] = kidsB[s.B].After
			}
		}
	}
	place := func(i int) int { // where child i of a belongs in b
		for i--; i >= 0; i-- {
			if at, ok := after[i]; ok {
				return at
			}
		}
		return b.End
	}
	for _, s := range steps {
		switch {
		case s.A >= 0 && s.B >= 0 && s.Moved:
			at := place(s.A)
			al.add("moved ", kidsA[s.A].Start, xmlscan.Splice{Start: kidsB[s.B].Start, End: kidsB[s.B].After}, xmlscan.Splice{Start: at, End: at, New: al.a.Raw(kidsA[s.A])})
		case s.A >= 0 && s.B >= 0:
			if err := al.element(kidsA[s.A], kidsB[s.B]); err != nil {
				return err
			}
		case s.A >= 0:
			at := place(s.A)
			al.add("gone ", kidsA[s.A].Start, xmlscan.Splice{Start: at, End: at, New: al.a.Raw(kidsA[s.A])})
		default:
			al.only(a, kidsB[s.B])
		}
	}
	return nil
}

// described is what children are aligned by.
type described struct {
	hash  uint64
	name  string
	id    string // what names it among its siblings
	only  bool   // no sibling has its name
	words []string
}

// identifying are the attributes that name an element among its siblings.
var identifying = []string{"paraId", "styleId", "id", "r", "name", "ref", "sqref", "idx", "min", "abstractNumId", "numId", "type", "Id"}

// maxWords bounds the words that a child is compared by.
const maxWords = 200

func (al *aligner) describe(t *tree.Tree, kids []*tree.Node) []described {
	out := make([]described, len(kids))
	for i, k := range kids {
		h := fnv.New64a()
		h.Write(t.Raw(k))
		d := described{hash: h.Sum64(), name: k.Space + " " + k.Local}
		for _, name := range identifying {
			if v := k.AttrLocal(name); v != "" {
				d.id = name + "=" + v
				break
			}
		}
		for n := range k.All() {
			if n.First == nil && !n.Empty {
				if d.words = append(d.words, strings.Fields(t.Text(n))...); len(d.words) > maxWords {
					break
				}
			}
		}
		out[i] = d
	}
	count := map[string]int{}
	for _, d := range out {
		count[d.name]++
	}
	for i := range out {
		out[i].only = count[out[i].name] == 1
	}
	return out
}

// containers are elements of which there happens to be one: it can be another one.
var containers = map[string]bool{nsW + " p": true, nsW + " tbl": true, nsW + " tr": true, nsW + " tc": true, nsA + " p": true, nsP + " sp": true, nsP + " pic": true, nsP + " graphicFrame": true}

const (
	nsW = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	nsA = "http://schemas.openxmlformats.org/drawingml/2006/main"
	nsP = "http://schemas.openxmlformats.org/presentationml/2006/main"
)

// similar says how well b stands for d: elements of the same name that name the same
// thing or have most words in common.
func (d described) similar(b described) float64 {
	switch {
	case d.name != b.name:
		return 0
	case d.id != "" && d.id == b.id, d.only && b.only && !containers[d.name]:
		return 1
	case len(d.words) > 0 && len(b.words) > 0:
		return seqdiff.Ratio(d.words, b.words)
	case d.id != "" && b.id != "", (len(d.words) == 0) != (len(b.words) == 0):
		return 0.3
	}
	return 0.6
}
