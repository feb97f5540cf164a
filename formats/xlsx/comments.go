package xlsx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// comment is a note of a cell, with who wrote it where that is known.
type comment struct {
	at     cellref.Cell
	author string
	text   string
}

// comments lists the comments of a sheet by cell. Threads ([MS-XLSX] 2.6.205)
// take the place of the notes (18.7.3) written for programs without them.
func (wb *baseBook) comments(ctx context.Context, sheetPart string) ([]comment, error) {
	rels, err := wb.pkg.Rels(ctx, sheetPart)
	if err != nil {
		return nil, err
	}
	var notes, threads []comment
	for _, r := range rels {
		if r.External || !wb.pkg.Has(r.Target) {
			continue
		}
		if (r.Type == relComments || r.Type == relThreaded) && wb.pkg.Size(r.Target) > maxObjects {
			return nil, formats.Errorf(formats.CodeTooLarge, "the comments of this sheet are too large to read (%d bytes)", wb.pkg.Size(r.Target))
		}
		switch r.Type {
		case relComments:
			doc, err := wb.pkg.ReadXML(ctx, r.Target)
			if err != nil {
				return nil, err
			}
			if notes, err = parseNotes(r.Target, doc, notes); err != nil {
				return nil, err
			}
		case relThreaded:
			if threads, err = wb.threads(ctx, r.Target, threads); err != nil {
				return nil, err
			}
		}
	}
	threaded := map[cellref.Cell]bool{}
	for _, c := range threads {
		threaded[c.at] = true
	}
	notes = slices.DeleteFunc(notes, func(c comment) bool { return threaded[c.at] })
	all := append(notes, threads...)
	slices.SortStableFunc(all, func(a, b comment) int {
		if a.at.Row != b.at.Row {
			return a.at.Row - b.at.Row
		}
		return a.at.Col - b.at.Col
	})
	return all, nil
}

func parseNotes(part string, doc []byte, out []comment) ([]comment, error) {
	var authors []string
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch {
		case t.Local == "author":
			text := ""
			if end := sc.Skip(); !t.Empty {
				text = sheetml.CharData(doc[t.End:sheetml.EndTagStart(doc, end)])
			}
			authors = append(authors, text)
		case t.Local == "comment" && t.Depth == 3:
			at := cellref.ParseEnd(t.AttrLocal("ref"))
			c := comment{at: cellref.At(at.Row, at.Col)}
			if n := sheetml.Atoi([]byte(t.AttrLocal("authorId"))); n >= 0 && n < len(authors) {
				c.author = authors[n]
			}
			if end := sc.Skip(); !t.Empty {
				c.text = sheetml.PlainText(doc[t.End:sheetml.EndTagStart(doc, end)])
			}
			// Excel writes the author's name above the text.
			c.text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(c.text), c.author+":"))
			out = append(out, c)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	return out, nil
}

func (wb *baseBook) threads(ctx context.Context, part string, out []comment) ([]comment, error) {
	doc, err := wb.pkg.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	people, err := wb.people(ctx)
	if err != nil {
		return nil, err
	}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch t.Local {
		case "threadedComment":
			at := cellref.ParseEnd(t.AttrLocal("ref"))
			out = append(out, comment{at: cellref.At(at.Row, at.Col), author: people[t.AttrLocal("personId")]})
		case "text":
			if end := sc.Skip(); !t.Empty && len(out) > 0 {
				out[len(out)-1].text = sheetml.CharData(doc[t.End:sheetml.EndTagStart(doc, end)])
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	return out, nil
}

// people are the names of those who wrote threads, by id.
func (wb *baseBook) people(ctx context.Context) (map[string]string, error) {
	names := map[string]string{}
	part := wb.relPart("http://schemas.microsoft.com/office/2017/10/relationships/person")
	if part == "" {
		return names, nil
	}
	doc, err := wb.pkg.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		if t.Local == "person" {
			names[t.AttrLocal("id")] = t.AttrLocal("displayName")
		}
		return true
	})
	return names, nil
}
