package docx

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// leftBehind are the things of another document that are not carried over.
var leftBehind = []struct{ one, many string }{
	{"section layout", "section layouts (paper, margins, headers, footers)"},
	{"comment", "comments"},
	{"link of a content control to data", "links of content controls to data"},
	{"picture bullet", "picture bullets"},
	{"part of another file", "parts of other files"},
	{"broken reference to a part", "broken references to parts"},
}

// carrier rewrites content of one document for another.
type carrier struct {
	*editing
	from *document

	styleIDs  map[string]string // of the other document → here
	newStyles []string
	differ    []string          // names of styles with another look here
	nums      map[string]string // numId there → here
	noteIDs   map[string]string // "footnote 2" → id here
	noteParts map[string]*carriedNotes
	notes     int
	parts     map[string]string            // part there → here
	rels      map[string]map[string]string // part here → id there → id here
	marks     map[string]string            // names of bookmarks there → here
	ids       map[string]string            // annotation ids there → here
	shapes    int                          // highest docPr id here
	renamed   int
	left      map[string]int
	needs     map[string]*needed // by part here
	copied    int64              // bytes of parts
	known     map[string]bool    // names of bookmarks here
	inLists   bool               // a definition of a list is carried
	pending   []string           // style ids whose definitions are still to be copied
}

// needed are the namespaces that content of a part uses.
type needed struct {
	uris      map[string]string
	ignorable map[string]bool
}

func newCarrier(e *editing, from *document) *carrier {
	return &carrier{editing: e, from: from, styleIDs: map[string]string{}, nums: map[string]string{}, noteIDs: map[string]string{}, noteParts: map[string]*carriedNotes{}, parts: map[string]string{},
		rels: map[string]map[string]string{}, marks: map[string]string{}, ids: map[string]string{}, left: map[string]int{}, needs: map[string]*needed{}}
}

// fragment returns stretches of a part of the other document as they stand in a
// part of this one.
func (c *carrier) fragment(ctx context.Context, theirs, mine string, doc []byte, at []span) (string, error) {
	if err := c.prepare(ctx); err != nil {
		return "", err
	}
	c.readMarks(doc, at)
	f := &fragmentWriter{carrier: c, ctx: ctx, theirs: theirs, mine: mine, doc: doc}
	if theirs == c.from.main {
		if err := f.keepLists(at); err != nil {
			return "", err
		}
	}
	var sb strings.Builder
	for _, s := range at {
		xml, err := f.write(s)
		if err != nil {
			return "", err
		}
		sb.WriteString(xml)
	}
	return sb.String(), nil
}

// prepare reads once what ids and names are taken.
func (c *carrier) prepare(ctx context.Context) error {
	if c.known != nil {
		return nil
	}
	if err := c.findIDs(ctx); err != nil {
		return err
	}
	c.known = map[string]bool{}
	p, err := c.body(ctx)
	if err != nil {
		return err
	}
	c.shapes = highestDocPr(p.doc)
	sc := xmlscan.New(p.doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == "bookmarkStart" {
			c.known[t.AttrLocal("name")] = true
		}
	}
	return nil
}

// readMarks gives the bookmarks in stretches of a part their names here, before
// references to them are rewritten.
func (c *carrier) readMarks(doc []byte, at []span) {
	if !bytes.Contains(doc, []byte("bookmarkStart")) {
		return
	}
	sc, i := xmlscan.New(doc), 0
	for sc.Next() && i < len(at) {
		t := sc.Token()
		for i < len(at) && t.Start >= at[i].end {
			i++
		}
		if t.Kind == xmlscan.Start && t.Is(nsW, "bookmarkStart") && i < len(at) && t.Start >= at[i].start {
			c.markHere(t.AttrLocal("name"))
		}
	}
}

// annotationID gives starts and ends the same new id.
func (c *carrier) annotationID(local, id string) string {
	kind := strings.TrimSuffix(strings.TrimSuffix(local, "Start"), "End")
	if kind != local { // a pair
		if now, ok := c.ids[kind+id]; ok {
			return now
		}
	}
	c.nextID++
	now := fmt.Sprint(c.nextID)
	c.ids[kind+id] = now
	return now
}

// markHere returns a name for a bookmark that is free here.
func (c *carrier) markHere(name string) string {
	if now, ok := c.marks[name]; ok {
		return now
	}
	now := name
	for i := 2; c.known[now]; i++ {
		now = fmt.Sprintf("%.34s_%d", name, i)
	}
	c.known[now], c.marks[name] = true, now
	if now != name {
		c.renamed++
	}
	return now
}

// finish writes the notes, copies the definitions of styles, and declares
// namespaces.
func (c *carrier) finish(ctx context.Context) error {
	if err := c.writeNotes(ctx); err != nil {
		return err
	}
	if err := c.copyDefinitions(ctx); err != nil {
		return err
	}
	for _, part := range slices.Sorted(maps.Keys(c.needs)) {
		doc, err := c.ed.ReadXML(ctx, part)
		if err != nil {
			return err
		}
		now, err := declared(doc, c.needs[part])
		if err != nil {
			return err
		}
		if !bytes.Equal(doc, now) {
			c.set(part, now)
		}
	}
	return nil
}

// declared returns a part whose root binds the prefixes that content uses.
func declared(doc []byte, n *needed) ([]byte, error) {
	sc := xmlscan.New(doc)
	for sc.Next() {
		if sc.Token().Kind == xmlscan.Start {
			break
		}
	}
	t := sc.Token()
	has, ignorable, ignorableName := map[string]string{}, "", "mc:Ignorable"
	var ignorableAt xmlscan.Attr
	for a := range t.Attrs() {
		if p, ok := strings.CutPrefix(a.Name, "xmlns:"); ok {
			has[p] = a.Value()
		}
		if strings.HasSuffix(a.Name, ":Ignorable") {
			ignorable, ignorableName, ignorableAt = a.Value(), a.Name, a
		}
	}
	add := ""
	list := strings.Fields(ignorable)
	for _, p := range slices.Sorted(maps.Keys(n.uris)) {
		switch uri, ok := has[p]; {
		case !ok:
			add += " xmlns:" + p + `="` + xmlscan.EscapeAttr(n.uris[p]) + `"`
		case uri != n.uris[p]:
			return nil, formats.Errorf(formats.CodeUnsupported, "the documents use the prefix %s for different namespaces (%s and %s)", p, clip(uri, 80), clip(n.uris[p], 80))
		}
		if n.ignorable[p] && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	var edits []xmlscan.Splice
	if now := strings.Join(list, " "); now != strings.Join(strings.Fields(ignorable), " ") {
		if ignorableAt.Name != "" {
			edits = append(edits, xmlscan.Splice{Start: ignorableAt.ValStart, End: ignorableAt.ValStart + len(xmlscan.EscapeAttr(ignorable)), New: []byte(now)})
		} else {
			if _, ok := has["mc"]; !ok && n.uris["mc"] == "" {
				add += ` xmlns:mc="` + nsMC + `"`
			}
			add += " " + ignorableName + `="` + now + `"`
		}
	}
	if add != "" {
		at := t.End - 1
		if t.Empty {
			at--
		}
		edits = append(edits, xmlscan.Splice{Start: at, End: at, New: []byte(add)})
	}
	return xmlscan.Apply(doc, edits), nil
}
