package translate

import (
	"context"
	"io"
	"iter"
	"time"

	"atelier/workshop/translate/page"
)

// PageOptions are what a page says of the program and the job.
type PageOptions struct {
	Title   string
	Made    time.Time
	Version string
}

// WritePage writes the report as one HTML page, with the segments that the
// ledger has; l may be nil.
func WritePage(ctx context.Context, w io.Writer, l *Ledger, rep Report, opt Options, p PageOptions) error {
	out := page.Report{Title: p.Title, Made: p.Made, Version: p.Version, Engine: rep.Engine, Figures: figures(rep, opt)}
	records := map[string]Record{} // by output as the report has it
	if l != nil {
		list, err := recordsOf(ctx, l, rep, opt)
		if err != nil {
			return err
		}
		for _, r := range list {
			records[opt.where()(r.Output)] = r
		}
	}
	for _, f := range rep.Files {
		file := page.File{
			Input: f.Input, Output: f.Output, From: opt.From, To: f.Language, Status: string(f.Status), Error: f.Error, Warnings: f.Warnings,
			Segments: f.Segments, Words: f.Words, Repetitions: f.Repetitions, Memory: f.Memory, Kinds: map[string]int{},
		}
		refused := notTaken(f)
		file.Kinds[string(NotTaken)] = len(refused)
		if rec, ok := records[f.Output]; ok {
			segments, err := kindsOf(ctx, l, rec, file.Kinds)
			if err != nil {
				return err
			}
			file.Segments = max(file.Segments, segments)
			file.Rows = rowsOf(ctx, l, rec, refused)
		} else if len(refused) > 0 {
			file.Rows = func(yield func(page.Row, error) bool) { yieldAll(refused, yield) }
		}
		out.Files = append(out.Files, file)
	}
	return page.Write(w, out)
}

// kindsOf counts flags by code, and the segments.
func kindsOf(ctx context.Context, l *Ledger, rec Record, kinds map[string]int) (segments int, err error) {
	for row, err := range l.Rows(ctx, rec) {
		if err != nil {
			return 0, err
		}
		segments++
		for _, f := range flagsOf(row) {
			kinds[f.Code]++
		}
	}
	return segments, nil
}

func flagsOf(row Row) []page.Flag {
	var out []page.Flag
	if row.State == StateLeft {
		out = append(out, page.Flag{Code: "left", Message: "to be translated by hand"})
	}
	for _, f := range row.Flags {
		out = append(out, page.Flag{Code: string(f.Code), Message: f.Message})
	}
	return out
}

func rowsOf(ctx context.Context, l *Ledger, rec Record, first []page.Row) iter.Seq2[page.Row, error] {
	return func(yield func(page.Row, error) bool) {
		if !yieldAll(first, yield) {
			return
		}
		for row, err := range l.Rows(ctx, rec) {
			r := page.Row{Place: row.Place, Part: row.Part, Source: row.Text, Origin: string(row.Origin), Flags: flagsOf(row)}
			if row.State == StateTranslated {
				r.Target = row.Target
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func yieldAll(rows []page.Row, yield func(page.Row, error) bool) bool {
	for _, r := range rows {
		if !yield(r, nil) {
			return false
		}
	}
	return true
}

// notTaken are the units of returned XLIFF that could not be used; no segment
// of the ledger has them.
func notTaken(f FileReport) []page.Row {
	var out []page.Row
	for _, fl := range f.Flags {
		if fl.Code == NotTaken {
			out = append(out, page.Row{Place: fl.Place, Source: fl.Source, Target: fl.Target, Flags: []page.Flag{{Code: string(fl.Code), Message: fl.Reason}}})
		}
	}
	return out
}

func figures(rep Report, opt Options) []page.Figure {
	t := rep.Total
	out := []page.Figure{{Name: "Documents", Value: page.Number(len(rep.Files))}, {Name: "Segments", Value: page.Number(t.Segments)}, {Name: "Words", Value: page.Number(t.Words)}}
	add := func(name string, n int) {
		if n > 0 {
			out = append(out, page.Figure{Name: name, Value: page.Number(n)})
		}
	}
	add("Repeated segments", t.Repetitions)
	add("From the memory", t.Memory)
	add("Done by an earlier run", t.Resumed)
	add("Left in the source language", t.Left)
	add("To look at", t.FlagsTotal)
	add("Tokens", t.PromptTokens+t.CompletionTokens)
	if opt.Price != (Price{}) {
		out = append(out, page.Figure{Name: "Cost", Value: opt.Price.Show(t.Cost)})
	}
	return out
}
