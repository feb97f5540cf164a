package docx

import (
	"context"
	"fmt"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// Limits of what one insert_document takes along.
const (
	maxCarriedParts = 5000
	maxCarriedBytes = 256 << 20
)

// relation returns the id here of a relationship of the part that is rewritten.
func (f *fragmentWriter) relation(local, id string) (now string, keep bool, err error) {
	if id == "" {
		return "", true, nil
	}
	known := f.rels[f.mine+"\x00"+f.theirs]
	if known == nil {
		known = map[string]string{}
		f.rels[f.mine+"\x00"+f.theirs] = known
	}
	if now, ok := known[id]; ok {
		return now, true, nil
	}
	all, err := f.from.ed.Rels(f.ctx, f.theirs)
	if err != nil {
		return "", false, err
	}
	for _, r := range all {
		if r.ID != id {
			continue
		}
		if !r.External {
			if r.Target, err = f.partHere(f.ctx, r.Target); err != nil {
				return "", false, err
			}
		}
		if r.Target == "" {
			break
		}
		r.ID = ""
		now, err := f.ed.AddRel(f.ctx, f.mine, r)
		known[id] = now
		return now, true, err
	}
	f.left["broken reference to a part"]++
	return id, local != "id", nil
}

var trailingNumber = lazyregexp.New(`\d*(\.[^./]*)?$`)

// partHere copies a part with all that it refers to; "" when it is not there.
func (c *carrier) partHere(ctx context.Context, name string) (string, error) {
	if now, ok := c.parts[name]; ok {
		return now, nil
	}
	if !c.from.ed.Has(name) {
		return "", nil
	}
	b, err := c.from.ed.Read(ctx, name)
	if err != nil {
		return "", err
	}
	if c.copied += int64(len(b)); c.copied > maxCarriedBytes || len(c.parts) >= maxCarriedParts {
		return "", formats.Errorf(formats.CodeTooLarge, "the other document has more than %d MiB or %d parts of pictures and charts; insert it section by section", maxCarriedBytes>>20, maxCarriedParts)
	}
	kind, err := c.from.ed.ContentType(ctx, name)
	if err != nil {
		return "", err
	}
	ext := path.Ext(name)
	now := c.ed.NewName(strings.ReplaceAll(trailingNumber.ReplaceAllString(name, ""), "%", "") + "%d" + ext)
	c.parts[name] = now
	c.ed.Set(now, b)
	if err := c.ed.DeclareType(ctx, now, kind); err != nil {
		return "", err
	}
	rels, err := c.from.ed.Rels(ctx, name)
	if err != nil {
		return "", err
	}
	for _, r := range rels {
		if !r.External {
			if r.Target == c.from.main {
				continue
			}
			if r.Target, err = c.partHere(ctx, r.Target); err != nil {
				return "", err
			}
		}
		if r.Target == "" {
			c.left["broken reference to a part"]++
			continue
		}
		if err := c.addRelAs(ctx, now, r); err != nil {
			return "", err
		}
	}
	return now, nil
}

// addRelAs adds a relationship with the id that the copied part uses.
func (c *carrier) addRelAs(ctx context.Context, part string, r opc.Relationship) error {
	id := r.ID
	r.ID = ""
	got, err := c.ed.AddRel(ctx, part, r)
	if err != nil || got == id {
		return err
	}
	name := opc.RelsName(part)
	doc, err := c.ed.Read(ctx, name)
	if err != nil {
		return err
	}
	// The relationship that was added is the last of its id.
	i := strings.LastIndex(string(doc), `"`+got+`"`)
	if i < 0 {
		return formats.Errorf(formats.CodeCorrupt, "%s lost a relationship", name)
	}
	c.ed.Set(name, []byte(string(doc[:i])+`"`+xmlscan.EscapeAttr(id)+`"`+string(doc[i+len(got)+2:])))
	return nil
}

// styleHere returns the id here of a style: of the one with that name, else of
// one that is copied.
func (c *carrier) styleHere(id string) string {
	if now, ok := c.styleIDs[id]; ok {
		return now
	}
	st, ok := c.from.styles[id]
	if !ok {
		return id
	}
	if same, ok := c.styles.findKind(st.kind, st.name); ok && st.name != "" {
		c.styleIDs[id] = same
		c.pending = append(c.pending, id) // to compare them
		return same
	}
	now := id
	for i := 2; ; i++ {
		if _, taken := c.styles[now]; !taken {
			break
		}
		now = fmt.Sprintf("%s%d", id, i)
	}
	c.styleIDs[id] = now
	copied := st
	copied.id = now
	c.styles[now] = copied
	c.newStyles = append(c.newStyles, now)
	c.pending = append(c.pending, id)
	return now
}

// copyDefinitions writes the styles that came along, with those that they name,
// and compares those that both documents have.
func (c *carrier) copyDefinitions(ctx context.Context) error {
	theirs, doc, err := c.from.related(ctx, "styles")
	if err != nil || theirs == "" {
		return err
	}
	mine, _, err := c.related(ctx, "styles")
	if err != nil {
		return err
	}
	if mine == "" {
		return formats.Errorf(formats.CodeUnsupported, "this document has no styles part")
	}
	host, err := c.ed.ReadXML(ctx, mine)
	if err != nil {
		return err
	}
	if std, here := c.from.styles.standard(), c.styles.standard(); std != "" && here != "" {
		if _, ok := c.styleIDs[std]; !ok {
			c.styleIDs[std] = here
			c.pending = append(c.pending, std)
		}
	}
	donor, have := styleElements(doc), styleElements(host)
	root, err := rootOf(host)
	if err != nil {
		return corrupt(mine, err)
	}
	if a, b := docDefaults(doc), docDefaults(host); a != b {
		c.differ = append(c.differ, "the defaults of the document")
	}
	fresh := map[string]bool{}
	for _, id := range c.newStyles {
		fresh[id] = true
	}
	add := ""
	for i := 0; i < len(c.pending); i++ { // a style may name others
		id := c.pending[i]
		now := c.styleIDs[id]
		if at, ok := have[now]; ok && !fresh[now] {
			a, _ := c.foreign(doc, donor[id], "w:")
			b, _ := c.foreign(host, at, "w:")
			if lookOnly(a) != lookOnly(b) {
				c.differ = append(c.differ, c.from.styles.label(id))
			}
			continue
		}
		xml, err := c.fragment(ctx, theirs, mine, doc, []span{donor[id]})
		if err != nil {
			return err
		}
		for _, id := range c.newStyles {
			fresh[id] = true
		}
		s := []byte(xml)
		sc := xmlscan.New(s)
		sc.Next()
		t := sc.Token()
		var edits []xmlscan.Splice
		for a := range t.Attrs() {
			switch _, local, _ := strings.Cut(a.Name, ":"); local {
			case "styleId":
				edits = append(edits, xmlscan.Splice{Start: a.ValStart, End: a.ValStart + len(xmlscan.EscapeAttr(a.Value())), New: []byte(xmlscan.EscapeAttr(now))})
			case "default":
				edits = append(edits, xmlscan.Splice{Start: a.ValStart, End: a.ValStart + len(a.Value()), New: []byte("0")})
			}
		}
		add += string(xmlscan.Apply(s, edits))
	}
	if add != "" {
		c.set(mine, xmlscan.Apply(host, []xmlscan.Splice{{Start: root.innerEnd, End: root.innerEnd, New: []byte(add)}}))
	}
	if c.styles, err = c.readStyles(ctx); err != nil {
		return err
	}
	c.lists = nil
	return nil
}

// docDefaults returns the formatting that all styles begin from (17.7.5.1).
func docDefaults(styles []byte) string {
	sc := xmlscan.New(styles)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Depth == 2 && t.Is(nsW, "docDefaults") {
			xml, _ := (&editing{}).foreign(styles, span{t.Start, elementEnd(styles, t)}, "w:")
			return styleAdmin.ReplaceAllString(xml, "")
		}
	}
	return ""
}

var (
	styleAdmin = lazyregexp.New(`<w:(?:name|aliases|basedOn|next|link|uiPriority|semiHidden|unhideWhenUsed|qFormat|locked|lang|autoRedefine)\b[^>]*/>`)
	styleStart = lazyregexp.New(`^<w:style\b[^>]*>`)
)

// lookOnly returns what a style definition says of the look.
func lookOnly(style string) string {
	return styleAdmin.ReplaceAllString(styleStart.ReplaceAllString(style, ""), "")
}

// listHere returns the numId here of a list, which is copied with its definition.
func (c *carrier) listHere(ctx context.Context, num string) (string, error) {
	if num == "0" {
		return num, nil
	}
	if now, ok := c.nums[num]; ok {
		return now, nil
	}
	theirs, doc, err := c.from.related(ctx, "numbering")
	if err != nil {
		return "", err
	}
	sheet, err := c.from.readNumbering(ctx)
	if err != nil {
		return "", err
	}
	at, ok := sheet.nums[num]
	if theirs == "" || !ok {
		return "0", nil // it names no list there either
	}
	name, mine, err := c.numberingPart(ctx)
	if err != nil {
		return "", err
	}
	z, err := readNumberingEnds(mine)
	if err != nil {
		return "", corrupt(name, err)
	}
	c.nums[num] = fmt.Sprint(z.nextNum)
	c.inLists = true
	defer func() { c.inLists = false }()
	def := ""
	kind, shared := c.listDefs()[at.abstract]
	if !shared {
		kind = fmt.Sprint(z.nextDef)
		c.listDefs()[at.abstract] = kind
		if s, ok := sheet.kinds[at.abstract]; ok {
			if def, err = c.fragment(ctx, theirs, name, doc, []span{s}); err != nil {
				return "", err
			}
			def = c.ownDefinition(def, kind)
		}
	}
	xml, err := c.fragment(ctx, theirs, name, doc, []span{at.span})
	if err != nil {
		return "", err
	}
	xml = setFirst(xml, "numId", c.nums[num])
	if i := strings.Index(xml, "abstractNumId"); i >= 0 {
		xml = xml[:i] + setFirst(xml[i:], "val", kind)
	}
	c.writeNumbering(name, mine, z, def, xml)
	return c.nums[num], nil
}

// listDefs are the definitions of lists there → here.
func (c *carrier) listDefs() map[string]string {
	if c.rels["\x00lists"] == nil {
		c.rels["\x00lists"] = map[string]string{}
	}
	return c.rels["\x00lists"]
}

var (
	nsidElement  = lazyregexp.New(`<[\w.-]*:?nsid\b[^>]*/>`)
	levelStyle   = lazyregexp.New(`<[\w.-]*:?pStyle\b[^>]*/>`)
	abstractName = lazyregexp.New(`<[\w.-]*:?name\b[^>]*/>`)
)

// ownDefinition gives a copied definition its id here. Its levels keep the styles
// that came along; those that this document had number as they do here.
func (c *carrier) ownDefinition(def, id string) string {
	def = setFirst(def, "abstractNumId", id)
	def = nsidElement.ReplaceAllString(def, "")
	def = abstractName.ReplaceAllString(def, "")
	return levelStyle.ReplaceAllStringFunc(def, func(s string) string {
		for _, n := range c.newStyles {
			if attrText(s, "val") == n {
				return s
			}
		}
		return ""
	})
}

// setFirst sets the value of the first attribute with a local name.
func setFirst(xml, local, value string) string {
	i := strings.Index(xml, local+`="`)
	if i < 0 {
		return xml
	}
	i += len(local) + 2
	end := strings.IndexByte(xml[i:], '"')
	if end < 0 {
		return xml
	}
	return xml[:i] + value + xml[i+end:]
}

// carriedNotes are the notes of a kind while they are copied: where they are in the
// other document, and what is to be added here.
type carriedNotes struct {
	theirs string
	doc    []byte
	at     map[string]span // by id
	name   string          // of the part here
	list   commentList     // where they are added
	xml    strings.Builder
	writer *fragmentWriter // it reads on from one note to the next
	read   int             // how far it has read
}

// notesOf reads the notes of a kind, once for a document.
func (c *carrier) notesOf(ctx context.Context, kind noteWords) (*carriedNotes, error) {
	if n := c.noteParts[kind.one]; n != nil {
		return n, nil
	}
	n := &carriedNotes{at: map[string]span{}}
	var err error
	if n.theirs, n.doc, err = c.from.related(ctx, kind.many()); err != nil {
		return nil, err
	}
	sc := xmlscan.New(n.doc)
	for i := 0; sc.Next(); i++ {
		if i%8192 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := sc.Token()
		if t.Kind != xmlscan.Start || !t.Is(nsW, kind.one) {
			continue
		}
		if id := t.AttrLocal("id"); n.at[id].end == 0 {
			n.at[id] = span{t.Start, sc.Skip()}
		}
	}
	name, mine, err := c.related(ctx, kind.many())
	if err != nil {
		return nil, err
	}
	if name == "" {
		if name, mine, err = c.newNotes(ctx, kind); err != nil {
			return nil, err
		}
	}
	n.name = name
	if n.list, err = readNoteList(mine, kind.one); err != nil {
		return nil, corrupt(name, err)
	}
	c.noteParts[kind.one] = n
	return n, nil
}

// note copies a footnote or endnote and returns its id here.
func (c *carrier) note(ctx context.Context, one, id string) (string, error) {
	key := one + " " + id
	if now, ok := c.noteIDs[key]; ok {
		return now, nil
	}
	n, err := c.notesOf(ctx, noteWords{one, one[:1] + "n"})
	if err != nil {
		return "", err
	}
	now := fmt.Sprint(n.list.next)
	n.list.next++
	c.noteIDs[key] = now
	at := n.at[id]
	if at.end == 0 {
		c.left["broken reference to a part"]++
		return now, nil
	}
	c.readMarks(n.doc, []span{at})
	if n.writer == nil || at.start < n.read {
		n.writer = &fragmentWriter{carrier: c, ctx: ctx, theirs: n.theirs, mine: n.name, doc: n.doc}
	}
	n.read = at.end
	xml, err := n.writer.write(at)
	if err != nil {
		return "", err
	}
	c.notes++
	n.xml.WriteString(setFirst(xml, "id", now))
	return now, nil
}

// writeNotes adds the copied notes to their parts here.
func (c *carrier) writeNotes(ctx context.Context) error {
	for one, n := range c.noteParts {
		if n.xml.Len() == 0 {
			continue
		}
		mine, err := c.ed.ReadXML(ctx, n.name)
		if err != nil {
			return err
		}
		c.set(n.name, appendToRoot(mine, n.list, n.xml.String(), one+"s"))
	}
	return nil
}
