package docx

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// fragmentWriter rewrites stretches of one part.
type fragmentWriter struct {
	*carrier
	ctx          context.Context
	theirs, mine string
	doc          []byte
	bound        map[string]string // prefixes of the root
	ignorable    map[string]bool
	sc           *xmlscan.Scanner
	edits        []xmlscan.Splice
	num          bool             // in numPr
	lists        []xmlscan.Splice // lists that paragraphs name here themselves
}

// dropped are elements that do not go along, with the words of what is left
// behind; "" is nothing worth a word.
var dropped = map[string]string{
	"sectPr": "section layout", "commentRangeStart": "", "commentRangeEnd": "", "commentReference": "comment",
	"dataBinding": "link of a content control to data", "altChunk": "part of another file", "subDoc": "part of another file",
	"lvlPicBulletId": "picture bullet", "permStart": "", "permEnd": "", "sectPrChange": "", "proofErr": "", "lastRenderedPageBreak": "", "id": "", // of a content control
}

// write returns one stretch.
func (f *fragmentWriter) write(s span) (string, error) {
	f.edits = f.edits[:0]
	if f.sc == nil {
		f.sc = xmlscan.New(f.doc)
		f.bound, f.ignorable = map[string]string{}, map[string]bool{}
	}
	// The scanner stands behind the stretch before or at the beginning.
	for f.sc.Token().Start < s.start || f.sc.Token().End == 0 {
		if !f.sc.Next() {
			return "", corrupt(f.theirs, f.sc.Err())
		}
		if t := f.sc.Token(); t.Kind == xmlscan.Start && t.Depth == 1 {
			f.root(t)
		}
	}
	for n := 0; f.sc.Err() == nil; n++ {
		t := f.sc.Token()
		if t.Start >= s.end {
			break
		}
		if n%4096 == 0 && f.ctx.Err() != nil {
			return "", f.ctx.Err()
		}
		if err := f.token(t); err != nil {
			return "", err
		}
		if !f.sc.Next() {
			break
		}
	}
	if err := f.sc.Err(); err != nil {
		return "", corrupt(f.theirs, err)
	}
	for _, l := range f.lists {
		if l.Start >= s.start && l.Start < s.end {
			f.edits = append(f.edits, l)
		}
	}
	for i := range f.edits {
		f.edits[i].Start -= s.start
		f.edits[i].End -= s.start
	}
	return string(xmlscan.Apply(f.doc[s.start:s.end], f.edits)), nil
}

// beforeNumPr are the properties of a paragraph that stand before its list.
var beforeNumPr = map[string]bool{"pStyle": true, "keepNext": true, "keepLines": true, "pageBreakBefore": true, "framePr": true, "widowControl": true}

// keepLists has paragraphs name the list that their style brings, where the style
// of that name here brings none: their numbers stay.
func (f *fragmentWriter) keepLists(at []span) error {
	p, err := f.from.body(f.ctx)
	if err != nil {
		return err
	}
	theirs, err := f.from.numbering(f.ctx)
	if err != nil || len(theirs.nums) == 0 {
		return err
	}
	mine, err := f.numbering(f.ctx)
	if err != nil {
		return err
	}
	member, i := f.from.members(theirs), 0
	for _, n := range p.nodes {
		for i < len(at) && n.start >= at[i].end {
			i++
		}
		if i == len(at) {
			return nil
		}
		if n.start < at[i].start || n.props.end == 0 || n.list.num != "" || n.list.at >= 0 {
			continue
		}
		m, ok := member(n)
		if !ok {
			continue
		}
		st := f.from.styles[m.style]
		same, there := f.styles.findKind(st.kind, st.name)
		if !there {
			continue // the style comes along with its list
		}
		if own := f.from.styles[n.style]; n.style != "" && own.name != "" {
			if id, ok := f.styles.findKind(own.kind, own.name); ok {
				same = id
			}
		}
		if _, listed := mine.listOf(f.styles, same, listRef{at: -1}); listed {
			continue
		}
		num, err := f.listHere(f.ctx, m.num)
		if err != nil {
			return err
		}
		where := n.props.end - len("</"+p.prefix+"pPr>")
		sc := xmlscan.New(p.doc[n.props.start:n.props.end])
		for sc.Next() {
			if t := sc.Token(); t.Kind == xmlscan.Start && t.Depth == 2 && !beforeNumPr[t.Local] {
				where = n.props.start + t.Start
				break
			}
		}
		f.lists = append(f.lists, xmlscan.Splice{Start: where, End: where, New: []byte(numPr(p.prefix, num, m.level))})
	}
	return nil
}

// root takes the namespaces of the part.
func (f *fragmentWriter) root(t xmlscan.Token) {
	for a := range t.Attrs() {
		if p, ok := strings.CutPrefix(a.Name, "xmlns:"); ok {
			f.bound[p] = a.Value()
		}
		if strings.HasSuffix(a.Name, ":Ignorable") {
			for _, p := range strings.Fields(a.Value()) {
				f.ignorable[p] = true
			}
		}
	}
}

// need notes a prefix that content uses.
func (f *fragmentWriter) need(prefix string) {
	uri, ok := f.bound[prefix]
	if prefix == "" || !ok {
		return
	}
	n := f.needs[f.mine]
	if n == nil {
		n = &needed{uris: map[string]string{}, ignorable: map[string]bool{}}
		f.needs[f.mine] = n
	}
	n.uris[prefix] = uri
	n.ignorable[prefix] = n.ignorable[prefix] || f.ignorable[prefix]
}

func (f *fragmentWriter) token(t xmlscan.Token) error {
	switch {
	case t.Kind == xmlscan.Text && f.instruction(t):
		return nil
	case t.Kind == xmlscan.End && t.Is(nsW, "numPr"):
		f.num = false
	case t.Kind != xmlscan.Start:
		return nil
	case t.Space == nsW:
		if what, ok := dropped[t.Local]; ok {
			if what != "" {
				f.left[what]++
			}
			f.edits = append(f.edits, xmlscan.Splice{Start: t.Start, End: f.sc.Skip()})
			return nil
		}
		f.num = f.num || t.Local == "numPr" && !t.Empty
	}
	if t.Kind == xmlscan.Start {
		return f.start(t)
	}
	return nil
}

// instruction renames bookmarks in the code of a field.
func (f *fragmentWriter) instruction(t xmlscan.Token) bool {
	if len(f.marks) == 0 || !bytes.Contains(t.Bytes(), []byte("REF")) && !bytes.Contains(t.Bytes(), []byte("HYPERLINK")) {
		return false
	}
	if now := f.renamedIn(string(t.Bytes())); now != string(t.Bytes()) {
		f.edits = append(f.edits, xmlscan.Splice{Start: t.Start, End: t.End, New: []byte(now)})
	}
	return true
}

var markName = lazyregexp.New(`[\pL_][\pL\pN_]*`)

func (f *fragmentWriter) renamedIn(code string) string {
	return markName.ReplaceAllStringFunc(code, func(name string) string {
		if now, ok := f.marks[name]; ok {
			return now
		}
		return name
	})
}

// start rewrites a start tag where it names something of the other document.
func (f *fragmentWriter) start(t xmlscan.Token) error {
	if t.Prefix == "" && t.Space == nsW {
		return formats.Errorf(formats.CodeUnsupported, "%s of the other document names its elements without a prefix, which cannot be inserted here; save it with Word or LibreOffice first", f.theirs)
	}
	f.need(t.Prefix)
	var sb strings.Builder
	changed := t.Space == nsW && numbered[t.Local] // setFirst finds their attributes
	for a := range t.Attrs() {
		prefix, local, has := strings.Cut(a.Name, ":")
		if !has {
			prefix, local = "", a.Name
		}
		if prefix != "xmlns" && prefix != "xml" {
			f.need(prefix)
		}
		if local == "Requires" || local == "Ignorable" {
			for _, p := range strings.Fields(a.Value()) {
				f.need(p)
			}
		}
		value := a.Value()
		now, keep, err := f.attribute(t, prefix, local, value)
		if err != nil {
			return err
		}
		if changed = changed || !keep || now != value; keep {
			sb.WriteString(" " + a.Name + `="` + xmlscan.EscapeAttr(now) + `"`)
		}
	}
	if !changed {
		return nil
	}
	name := t.Local
	if t.Prefix != "" {
		name = t.Prefix + ":" + name
	}
	end := ">"
	if t.Empty {
		end = "/>"
	}
	f.edits = append(f.edits, xmlscan.Splice{Start: t.Start, End: t.End, New: []byte("<" + name + sb.String() + end)})
	return nil
}

// annotations are elements whose w:id is unique among all of a document.
var annotations = map[string]bool{"ins": true, "del": true, "moveFrom": true, "moveTo": true, "rPrChange": true, "pPrChange": true, "tblPrChange": true, "tcPrChange": true,
	"trPrChange": true, "tblGridChange": true, "tblPrExChange": true, "cellIns": true, "cellDel": true, "cellMerge": true, "numberingChange": true, "bookmarkStart": true, "bookmarkEnd": true,
	"moveFromRangeStart": true, "moveFromRangeEnd": true, "moveToRangeStart": true, "moveToRangeEnd": true}

// numbered are elements whose first id is set after they are rewritten.
var numbered = map[string]bool{"footnote": true, "endnote": true, "num": true, "abstractNum": true, "abstractNumId": true}

// attribute returns an attribute as it is here, and whether it stays.
func (f *fragmentWriter) attribute(t xmlscan.Token, prefix, local, value string) (now string, keep bool, err error) {
	space := ""
	if prefix != "" {
		space = xmlscan.Transitional(f.sc.Namespace(prefix))
	}
	switch {
	case space == nsR:
		return f.relation(local, value)
	case t.Space == nsWP && t.Local == "docPr" && local == "id":
		f.shapes++
		return fmt.Sprint(f.shapes), true, nil
	case local == "paraId" || local == "textId" || strings.HasPrefix(local, "rsid") || local == "durableId":
		return "", false, nil
	case t.Space != nsW:
		return value, true, nil
	case annotations[t.Local] && local == "id":
		return f.annotationID(t.Local, value), true, nil
	case t.Local == "bookmarkStart" && local == "name":
		return f.markHere(value), true, nil
	case t.Local == "hyperlink" && local == "anchor":
		if name, ok := f.marks[value]; ok {
			return name, true, nil
		}
	case t.Local == "fldSimple" && local == "instr":
		return f.renamedIn(value), true, nil
	case (t.Local == "footnoteReference" || t.Local == "endnoteReference") && local == "id":
		now, err = f.note(f.ctx, strings.TrimSuffix(t.Local, "Reference"), value)
		return now, true, err
	case local == "val":
		now, err = f.named(t, value)
		return now, true, err
	}
	return value, true, nil
}

// named maps names of styles and lists.
func (f *fragmentWriter) named(t xmlscan.Token, value string) (string, error) {
	switch t.Local {
	case "pStyle", "rStyle", "tblStyle", "basedOn", "next", "link", "numStyleLink", "styleLink":
		return f.styleHere(value), nil
	case "numId":
		if f.num && !f.inLists {
			return f.listHere(f.ctx, value)
		}
	}
	return value, nil
}
