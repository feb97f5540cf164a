package book

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// Comment is a note of a cell, with who wrote it where that is known.
type Comment struct {
	At     cellref.Cell
	Author string
	Text   string
	Reply  bool // in a thread, to the comment before it
	Done   bool // the thread is resolved
}

// By says who wrote the comment and how it stands: Ana, reply.
func (c Comment) By() string {
	words := []string{}
	if c.Author != "" {
		words = append(words, c.Author)
	}
	if c.Reply {
		words = append(words, "reply")
	}
	if c.Done {
		words = append(words, "resolved")
	}
	return strings.Join(words, ", ")
}

// Comments lists the comments of a sheet by cell. Threads ([MS-XLSX] 2.6.205)
// take the place of the notes (18.7.3) written for programs without them.
func (wb *Workbook) Comments(ctx context.Context, sheetPart string) ([]Comment, error) {
	rels, err := wb.Package.Rels(ctx, sheetPart)
	if err != nil {
		return nil, err
	}
	var notes, threads []Comment
	for _, r := range rels {
		if r.External || !wb.Package.Has(r.Target) {
			continue
		}
		if (r.Type == RelComments || r.Type == RelThreaded) && wb.Package.Size(r.Target) > MaxObjects {
			return nil, formats.Errorf(formats.CodeTooLarge, "the comments of this sheet are too large to read (%d bytes)", wb.Package.Size(r.Target))
		}
		switch r.Type {
		case RelComments:
			doc, err := wb.Package.ReadXML(ctx, r.Target)
			if err != nil {
				return nil, err
			}
			if notes, err = ParseNotes(r.Target, doc, notes); err != nil {
				return nil, err
			}
		case RelThreaded:
			if threads, err = wb.threads(ctx, r.Target, threads); err != nil {
				return nil, err
			}
		}
	}
	return inOrder(notes, threads), nil
}

// inOrder lists notes and threads by cell; a thread takes the place of a note.
func inOrder(notes, threads []Comment) []Comment {
	threaded := map[cellref.Cell]bool{}
	for _, c := range threads {
		threaded[c.At] = true
	}
	notes = slices.DeleteFunc(notes, func(c Comment) bool { return threaded[c.At] })
	all := append(notes, threads...)
	slices.SortStableFunc(all, func(a, b Comment) int {
		if a.At.Row != b.At.Row {
			return a.At.Row - b.At.Row
		}
		return a.At.Col - b.At.Col
	})
	return all
}

// parseNote reads the note whose element begins at t and ends at end.
func parseNote(doc []byte, t xmlscan.Token, end int, authors []string) Comment {
	at := cellref.ParseEnd(t.AttrLocal("ref"))
	c := Comment{At: cellref.At(at.Row, at.Col)}
	if n := sheetml.Atoi([]byte(t.AttrLocal("authorId"))); n >= 0 && n < len(authors) {
		c.Author = authors[n]
	}
	if !t.Empty {
		c.Text = sheetml.PlainText(doc[t.End:sheetml.EndTagStart(doc, end)])
	}
	// Excel writes the author's name above the text.
	c.Text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(c.Text), c.Author+":"))
	return c
}

// ParseNotes appends the notes of a comments part (18.7.3) to out.
func ParseNotes(part string, doc []byte, out []Comment) ([]Comment, error) {
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
			out = append(out, parseNote(doc, t, sc.Skip(), authors))
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	return out, nil
}

func (wb *Workbook) threads(ctx context.Context, part string, out []Comment) ([]Comment, error) {
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	people, err := wb.People(ctx)
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
			out = append(out, Comment{At: cellref.At(at.Row, at.Col), Author: people[t.AttrLocal("personId")], Reply: t.AttrLocal("parentId") != "", Done: sheetml.IsTrue(t.AttrLocal("done"))})
		case "text":
			if end := sc.Skip(); !t.Empty && len(out) > 0 {
				out[len(out)-1].Text = sheetml.CharData(doc[t.End:sheetml.EndTagStart(doc, end)])
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	return out, nil
}

// People are the names of those who wrote threads, by id.
func (wb *Workbook) People(ctx context.Context) (map[string]string, error) {
	names := map[string]string{}
	part := wb.RelPart("http://schemas.microsoft.com/office/2017/10/relationships/person")
	if part == "" {
		return names, nil
	}
	doc, err := wb.Package.ReadXML(ctx, part)
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
