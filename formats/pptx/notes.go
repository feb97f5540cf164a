package pptx

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

const (
	relNotesMaster = nsR + "/notesMaster"
	relTheme       = nsR + "/theme"
	notesType      = typePrefix + "notesSlide+xml"
	notesMasterTyp = typePrefix + "notesMaster+xml"
	themeType      = "application/vnd.openxmlformats-officedocument.theme+xml"
)

// setNotesArgs are the members of set_notes.
type setNotesArgs struct {
	slideArgs
	textArgs
	lookArgs
}

// setNotes sets the speaker notes of a slide, making the notes page, and for
// the first one the notes master, when there is none.
func (d *deckEdit) setNotes(ctx context.Context, c *call, a setNotesArgs) error {
	lines, err := a.lines(a.lookArgs)
	if err != nil {
		return err
	}
	c.r.Hits = len(lines)
	rels, err := d.related(ctx, c.part, relNotes)
	if err != nil {
		return err
	}
	if len(rels) == 0 {
		if len(lines) == 1 && len(lines[0].runs) == 0 && lines[0].text == "" {
			return nil // no notes, and none wanted
		}
		return d.makeNotes(ctx, c.part, lines)
	}
	t, err := d.tree(ctx, rels[0].Target)
	if err != nil {
		return err
	}
	body := notesBody(t)
	if body == nil {
		return d.insert(t, t.withBoundPrefixes(d.notesShape(t, t.nextShape(), lines)), nil)
	}
	d.setTree(t, t.setLines(body.body, lines))
	return nil
}

// notesBody returns the placeholder that holds the notes of a notes page.
func notesBody(t *tree) *shape {
	for s := range flat(shapes(t.spTree(), shown)) {
		if s.body != nil && s.phType() == "body" {
			return s
		}
	}
	return nil
}

// notesShape returns the notes placeholder of a notes page.
func (d *deck) notesShape(t *tree, id int, lines []line) string {
	var sb strings.Builder
	sb.WriteString(fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="Notes Placeholder %d"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>`, id, id-1))
	sb.Write(t.paragraphsXML(lines))
	sb.WriteString(`</p:txBody></p:sp>`)
	return sb.String()
}

// makeNotes gives a slide a notes page.
func (d *deckEdit) makeNotes(ctx context.Context, slide string, lines []line) error {
	master, err := d.notesMaster(ctx)
	if err != nil {
		return err
	}
	head := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<p:notes xmlns:a="%s" xmlns:r="%s" xmlns:p="%s"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`, d.uri(nsA), d.uri(nsR), d.uri(nsP))
	picture := `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Slide Image Placeholder 1"/><p:cNvSpPr><a:spLocks noGrp="1" noRot="1" noChangeAspect="1"/></p:cNvSpPr><p:nvPr><p:ph type="sldImg"/></p:nvPr></p:nvSpPr><p:spPr/></p:sp>`
	tail := `</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>`
	t, err := parse(ctx, "notes", []byte(head+tail))
	if err != nil {
		return err
	}
	part, _, err := d.edit.AddPart(ctx, slide, d.partPattern("notesSlides", "notesSlide"), d.uri(relNotes), notesType, []byte(head+picture+d.notesShape(t, 3, lines)+tail))
	if err != nil {
		return err
	}
	if _, err := d.edit.AddRel(ctx, part, opc.Relationship{Type: d.uri(relNotesMaster), Target: master}); err != nil {
		return err
	}
	_, err = d.edit.AddRel(ctx, part, opc.Relationship{Type: d.uri(relSlide), Target: slide})
	return err
}

// partPattern returns the pattern of names for parts of a kind, beside the main
// part.
func (d *deck) partPattern(folder, stem string) string {
	return strings.ReplaceAll(path.Join(path.Dir(d.main), folder, stem), "%", "%%") + "%d.xml"
}

// notesMaster returns the notes master of the deck (19.3.1.27), made when there
// is none.
func (d *deckEdit) notesMaster(ctx context.Context) (string, error) {
	rels, err := d.related(ctx, d.main, relNotesMaster)
	if err != nil {
		return "", err
	}
	if len(rels) > 0 {
		return rels[0].Target, nil
	}
	master, err := fs.ReadFile(blank, "blank/notesMaster1.xml")
	if err != nil {
		return "", err
	}
	part, relID, err := d.edit.AddPart(ctx, d.main, d.partPattern("notesMasters", "notesMaster"), d.uri(relNotesMaster), notesMasterTyp, d.convertForm(master))
	if err != nil {
		return "", err
	}
	if err := d.addTheme(ctx, part); err != nil {
		return "", err
	}
	return part, d.listNotesMaster(ctx, relID)
}

// addTheme gives a master a copy of the theme of the slide master, or the
// theme of new decks: masters do not share themes.
func (d *deckEdit) addTheme(ctx context.Context, master string) error {
	masters, err := d.related(ctx, d.main, relMaster)
	if err != nil {
		return err
	}
	for _, m := range masters {
		themes, err := d.related(ctx, m.Target, relTheme)
		if err != nil {
			return err
		}
		for _, theme := range themes {
			cp := &copier{deckEdit: d, made: map[string]string{}}
			name, err := cp.copyPart(ctx, theme.Target)
			if err != nil {
				return err
			}
			_, err = d.edit.AddRel(ctx, master, relTo(d.uri(relTheme), name))
			return err
		}
	}
	theme, err := fs.ReadFile(blank, "blank/theme1.xml")
	if err != nil {
		return err
	}
	_, _, err = d.edit.AddPart(ctx, master, d.partPattern("theme", "theme"), d.uri(relTheme), themeType, theme)
	return err
}

// convertForm returns a part of a new deck in the form that the deck uses.
func (d *deck) convertForm(data []byte) []byte {
	if !d.strict {
		return data
	}
	s := string(data)
	for _, ns := range []string{nsA, nsR, nsP} {
		s = strings.ReplaceAll(s, `"`+ns+`"`, `"`+d.uri(ns)+`"`)
	}
	return []byte(s)
}

// listNotesMaster enters the notes master into the presentation (19.2.1.21).
func (d *deckEdit) listNotesMaster(ctx context.Context, relID string) error {
	t, err := d.tree(ctx, d.main)
	if err != nil {
		return err
	}
	q := func(local string) string { return qualify(t.Root.Prefix, local) }
	attr, decl := "r", ""
	if p, ok := t.Root.PrefixOf(nsR); ok {
		attr = p
	} else {
		decl = ` xmlns:r="` + d.uri(nsR) + `"`
	}
	xml := fmt.Sprintf(`<%[1]s><%[2]s%[3]s %[4]s:id="%[5]s"/></%[1]s>`, q("notesMasterIdLst"), q("notesMasterId"), decl, attr, xmlscan.Escape(relID))
	list := t.Root.Child(nsP, "notesMasterIdLst")
	switch {
	case list == nil:
		d.setTree(t, []xmlscan.Splice{t.insertIntoPresentation("notesMasterIdLst", xml)})
	case list.First != nil:
		return formats.Errorf(formats.CodeCorrupt, "%s names a notes master that is not there", d.name)
	default:
		d.setTree(t, []xmlscan.Splice{{Start: list.Start, End: list.After, New: []byte(xml)}})
	}
	return nil
}
