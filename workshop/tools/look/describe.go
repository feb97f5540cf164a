package look

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/ocr"
)

// maxFacts bounds the facts about the looks of a document.
const maxFacts = 20

// layoutKinds are the findings of audits that are about what a person sees.
var layoutKinds = []string{"overflow", "off_slide", "overlap", "distorted_picture", "contrast", "small_text"}

// noImages is said where images are not given.
const noImages = "nothing was drawn: images are given only to a model that takes images"

// describe says in words what is known of the looks of the pages.
func (r *rendering) describe(ctx context.Context) error {
	f, err := r.env.Formats.Detect(ctx, r.src)
	if err != nil {
		return err
	}
	r.out.note(noImages)
	switch {
	case f.Kind == formats.KindXlsx || r.args.cells():
		return r.describeCells(ctx)
	case f.Kind == formats.KindPptx:
		return r.describeSlides(ctx, f)
	case f.Kind == formats.KindDocx:
		facts, omitted, err := docx.WideTables(ctx, r.src)
		if err == nil {
			r.facts(facts, omitted, "tables that are wider than the page")
		}
		return err
	case f.Kind == formats.KindPDF:
		return r.describePDF(ctx, f)
	case f.Kind == formats.KindImage:
		return r.recognize(ctx, 0)
	}
	r.out.note("read_file gives its text")
	return nil
}

func (r *rendering) describeCells(ctx context.Context) error {
	v, err := r.viewCells(ctx)
	if err != nil {
		return err
	}
	what := v.Name() + " was looked at, by estimate"
	if len(v.Facts) == 0 {
		what += ": nothing in it is hidden, and no column is too narrow for its numbers"
	}
	r.out.note("%s", what)
	return nil
}

// facts adds facts, of which omitted more are not told; sought is what was looked for.
func (r *rendering) facts(facts []string, omitted int, sought string) {
	if n := len(facts) - maxFacts; n > 0 {
		facts, omitted = facts[:maxFacts], omitted+n
	}
	r.out.Layout = append(r.out.Layout, facts...)
	if omitted > 0 {
		r.out.Layout = append(r.out.Layout, fmt.Sprintf("and %d more", omitted))
	}
	found := "found"
	if len(facts) == 0 {
		found = "found none of"
	}
	r.out.note("the layout is known by estimate: %s %s", found, sought)
}

// describeSlides tells what is wrong with the layout of the slides that are asked for.
func (r *rendering) describeSlides(ctx context.Context, f *formats.Format) error {
	if f.Auditor == nil {
		return nil
	}
	kinds := slices.DeleteFunc(f.Auditor.AuditKinds(), func(k string) bool { return !slices.Contains(layoutKinds, k) })
	a, err := f.Auditor.Audit(ctx, r.src, formats.AuditOptions{Kinds: kinds})
	if err != nil {
		return err
	}
	var facts []string
	for _, x := range a.Findings {
		if r.onPages(x.At) {
			facts = append(facts, x.At+": "+x.Fact)
		}
	}
	r.facts(facts, a.Omitted, fmt.Sprintf("%s on slides %d to %d", strings.Join(kinds, ", "), r.args.From+1, r.args.To+1))
	return nil
}

// onPages reports whether the address of a finding is on a slide that is asked for.
func (r *rendering) onPages(at string) bool {
	var slide int
	if _, err := fmt.Sscanf(at, "slide_index %d", &slide); err != nil {
		return true
	}
	return r.args.From <= slide && slide <= r.args.To
}

// describePDF has the text of pages recognised that have none.
func (r *rendering) describePDF(ctx context.Context, f *formats.Format) error {
	for page := r.args.From; page <= r.args.To && page < r.args.From+maxPages; page++ {
		t, err := f.Reader.Read(ctx, r.src, formats.Selector{Pages: fmt.Sprint(page + 1)})
		if err != nil && page > r.args.From && formats.CodeOf(err) != "" {
			return nil // the range goes beyond the end
		}
		if err != nil {
			return err
		}
		if len(t.Blank) == 0 {
			r.out.note("page %d has text: read_file gives it", page+1)
			continue
		}
		if !t.Blank[0].Ink {
			r.out.note("page %d is empty", page+1)
			continue
		}
		if err := r.recognize(ctx, page); err != nil {
			return err
		}
	}
	if r.args.To >= r.args.From+maxPages {
		r.out.note("at most %d pages are looked at once; page %d and later were not", maxPages, r.args.From+maxPages+1)
	}
	return nil
}

// Recognized is the text of a page or picture as a program made it out.
type Recognized struct {
	Page int    `json:"page"` // 1-based
	By   string `json:"by"`   // the program and the languages that it looked for
	Text string `json:"text"`
}

// recognize adds the recognised text of a page (0-based).
func (r *rendering) recognize(ctx context.Context, page int) error {
	got, err := r.env.Pages.Recognize(ctx, r.src, page)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case formats.CodeOf(err) == formats.CodeUnsupported:
		r.out.note("the text in the picture was not recognised: %s", err.Error())
		return nil
	case err != nil:
		return err
	}
	r.out.Recognized = append(r.out.Recognized, Recognized{page + 1, program(got), got.Text})
	r.out.note("recognised text has mistakes: check what matters with the person")
	if got.Cut {
		r.out.note("only the first %d KiB of the recognised text are given", ocr.MaxText>>10)
	}
	return nil
}

func program(r ocr.Recognition) string { return "tesseract (" + r.Languages + ")" }
