package translate

import (
	"context"
	"io"
	"slices"

	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/xliff"
)

// WriteXLIFF writes an XLIFF document of a version below dir for each document of
// the report that the ledger has (TR-10): a.docx.xlf for a.docx, below a folder
// for each language as the outputs are. It returns the number of documents written.
func WriteXLIFF(ctx context.Context, files Files, l *Ledger, rep Report, opt Options, dir string, version xliff.Version) (int, error) {
	records, err := recordsOf(ctx, l, rep, opt)
	if err != nil {
		return 0, err
	}
	for _, rec := range records {
		err := files.WriteBelow(ctx, dir, rec.Output+".xlf", func(w io.Writer) error { return writeXLIFF(ctx, w, l, rec, opt, version) })
		if err != nil {
			return 0, err
		}
	}
	return len(records), nil
}

// recordsOf are the ledger's records of a report's documents, in its order.
func recordsOf(ctx context.Context, l *Ledger, rep Report, opt Options) ([]Record, error) {
	records, err := l.Records(ctx)
	if err != nil {
		return nil, err
	}
	records = opt.outputsOf(records)
	at := map[string]int{}
	for i, f := range rep.Files {
		if f.Status != StatusFailed && f.Status != StatusPlanned {
			at[f.Output] = i
		}
	}
	where := opt.where()
	records = slices.DeleteFunc(records, func(r Record) bool { _, ok := at[where(r.Output)]; return !ok })
	slices.SortFunc(records, func(a, b Record) int { return at[where(a.Output)] - at[where(b.Output)] })
	return records, nil
}

// where says where outputs are, as reports do.
func (o Options) where() func(output string) string {
	if o.Documents != nil {
		return o.Documents.Where
	}
	return (&folders{out: o.Out}).Where
}

func writeXLIFF(ctx context.Context, out io.Writer, l *Ledger, rec Record, opt Options, version xliff.Version) error {
	w, err := xliff.NewWriter(out, xliff.File{Version: version, Original: original(rec.Output, rec.Language, opt), Hash: rec.SourceHash, From: opt.From, To: rec.Language, Engine: opt.Engine.Name()})
	if err != nil {
		return err
	}
	for row, err := range l.Rows(ctx, rec) {
		if err != nil {
			return err
		}
		u := xliff.Unit{ID: row.ID, Place: row.Place, Part: row.Part, Source: row.Text, Notes: row.Notes, MaxLength: row.MaxLength, State: xliff.Initial}
		if row.State == StateTranslated {
			u.Target, u.HasTarget, u.State = row.Target, true, xliff.Translated
			if row.Origin == FromPerson {
				u.State = xliff.Reviewed
			}
		}
		if !u.HasTarget && opt.Memory != nil {
			if u.Suggestions, err = suggestions(ctx, row.Text, rec.Language, opt); err != nil {
				return err
			}
		}
		for _, f := range row.Flags {
			u.Flags = append(u.Flags, f.Message)
		}
		for _, t := range opt.Glossary.In(row.Text, rec.Language) {
			u.Terms = append(u.Terms, xliff.Term{Source: t.Source, Target: t.Target, Note: t.Note})
		}
		if err := w.Unit(u); err != nil {
			return err
		}
	}
	return w.Close()
}

// suggestions are what the memory has like a text that nobody has translated.
func suggestions(ctx context.Context, text, language string, opt Options) ([]xliff.Suggestion, error) {
	const most, least = 3, 0.65
	like, err := opt.Memory.Similar(ctx, memory.Pair{From: opt.From, To: language}, text, most, least)
	var out []xliff.Suggestion
	for _, m := range like {
		out = append(out, xliff.Suggestion{Source: m.Source, Target: m.Target, Score: m.Score, Origin: m.Document})
	}
	return out, err
}

// original is a document's place below what was translated.
func original(output, language string, opt Options) string {
	if len(opt.To) > 1 {
		return output[len(language)+1:]
	}
	return output
}
