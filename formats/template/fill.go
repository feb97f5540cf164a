package template

import (
	"context"
	"fmt"
	"io"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/tree"
)

// Options refine one Fill.
type Options struct {
	Language string // of dates and numbers, such as de; "" is none
	// Open opens the picture that a value of {{name|image}} names. Nil: such
	// placeholders are refused.
	Open func(ctx context.Context, path string) (formats.SourceCloser, error)
}

// Fill writes a copy of the template src filled with the records to dst: with
// several, a document is copied once for each, on a new page, the slides of a deck
// are repeated, and so are the rows of a workbook that have placeholders.
func Fill(ctx context.Context, src formats.Source, dst io.Writer, records []Record, opt Options, tally *Tally) error {
	switch {
	case len(records) == 0:
		return formats.Errorf(formats.CodeInvalid, "the data has no rows; nothing was written")
	case len(records) > MaxRecords:
		return formats.Errorf(formats.CodeTooLarge, "the data has more than %d rows; give a part of them", MaxRecords)
	}
	lang, err := languageOf(opt.Language)
	if err != nil {
		return err
	}
	f := &filler{tally: tally, known: names(records), lang: lang, left: maxText, opener: opt.Open, files: map[string]*file{}, boxes: map[string]string{}}
	switch formats.KindOfName(src.Name()) {
	case formats.KindDocx:
		return f.document(ctx, src, dst, records)
	case formats.KindPptx:
		return f.deck(ctx, src, dst, records)
	case formats.KindXlsx:
		return f.workbook(ctx, src, dst, records)
	}
	return formats.Errorf(formats.CodeUnsupported, "%s is no template: a docx, xlsx or pptx is filled", src.Name())
}

func scopeOf(r Record) *scope { return &scope{item: r} }

// document fills a docx.
func (f *filler) document(ctx context.Context, src formats.Source, dst io.Writer, records []Record) error {
	pkg, err := opc.Open(ctx, src)
	if err != nil {
		return err
	}
	main, err := pkg.MainPart(ctx)
	if err != nil {
		return err
	}
	f.pictures = true
	ed := pkg.Edit()
	rels, err := ed.Rels(ctx, main)
	if err != nil {
		return err
	}
	around := scopeOf(records[0])
	if len(records) > 1 {
		around = scopeOf(common(records))
	}
	seen := map[string]bool{}
	for _, r := range rels {
		kind := strings.TrimPrefix(r.Type, opc.RelPrefix)
		if r.External || seen[r.Target] || kind != "header" && kind != "footer" && kind != "footnotes" && kind != "endnotes" {
			continue
		}
		seen[r.Target] = true
		if err := f.part(ctx, ed, r.Target, nsWord, around, nil); err != nil {
			return err
		}
	}
	var bodies []*scope
	group := groupOf(records)
	for _, r := range records {
		bodies = append(bodies, &scope{item: r, group: group})
	}
	if err := f.part(ctx, ed, main, nsWord, bodies[0], bodies); err != nil {
		return err
	}
	if len(records) > 1 && len(seen) > 0 {
		f.tally.Note("headers, footers and notes of one document are the same for all rows: they have only what all rows have in common")
	}
	f.pictures = false
	if err := f.drawnParts(ctx, ed, pkg, around, nil); err != nil {
		return err
	}
	if err := f.leftover(ctx, ed, pkg); err != nil {
		return err
	}
	return ed.Write(ctx, dst)
}

// bodies writes the body of a document once for each record, each on a new page.
func (e *expander) bodies(records []*scope) error {
	body := e.t.Root.Child(nsWord, "body")
	if body == nil {
		return fmt.Errorf("the document has no body")
	}
	var kids []*tree.Node
	end := body.Close
	for k := range body.Kids() {
		if k.Is(nsWord, "sectPr") {
			end = k.Start
			continue
		}
		kids = append(kids, k)
	}
	e.raw(0, body.End, records[0])
	for i, s := range records {
		if i > 0 {
			e.copies = 1
			e.stretches = append(e.stretches, stretch{e.out.Len(), s})
			p := strings.TrimSuffix(body.Name(), "body")
			fmt.Fprintf(&e.out, `<%[1]sp><%[1]sr><%[1]sbr %[1]stype="page"/></%[1]sr></%[1]sp>`, p)
		}
		if err := e.sequence(kids, s, 0); err != nil {
			return err
		}
		if e.out.Len() > maxText {
			return tooLarge()
		}
	}
	e.copies = 0
	e.raw(end, len(e.t.Doc), records[0])
	return nil
}
