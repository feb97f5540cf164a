package translate

import (
	"context"
	"io"

	"atelier/workshop/translate/xliff"
)

// FromXLIFF makes corrections of XLIFF documents that came back: of what people
// changed or confirmed. What could not be used is in refused.
func (e *Editor) FromXLIFF(ctx context.Context, b *Returned) (fixes []Correction, refused []Refusal, err error) {
	records, err := e.Records(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range records {
		more, bad, err := e.ofRecord(ctx, b, r)
		if err != nil {
			return nil, nil, err
		}
		fixes, refused = append(fixes, more...), append(refused, bad...)
	}
	for _, f := range b.Unused() {
		refused = append(refused, Refusal{Correction: Correction{Document: f.Input}, Code: NotTaken, Reason: f.Error})
	}
	return fixes, refused, nil
}

func (e *Editor) ofRecord(ctx context.Context, b *Returned, r Record) (fixes []Correction, refused []Refusal, err error) {
	output, ok := e.out.outputOf(r.Output)
	if !ok {
		return nil, nil, nil
	}
	src, err := e.opt.Documents.Open(ctx, Document{Path: r.Input, Rel: r.Input})
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	g, err := b.Given(ctx, Document{Path: r.Input, Rel: original(output, r.Language, e.opt)}, src, r.Language)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range g.Flags {
		refused = append(refused, Refusal{Correction{r.Output, f.Segment, f.Target}, f.Place, f.Code, f.Reason})
	}
	if len(g.Targets) == 0 {
		return nil, refused, nil
	}
	for row, err := range e.ledger.Rows(ctx, r) {
		if err != nil {
			return nil, nil, err
		}
		t, ok := g.Targets[row.ID]
		same := row.State == StateTranslated && row.Target == t.Target
		if ok && !(same && (!t.Confirmed || row.Origin == FromPerson)) {
			fixes = append(fixes, Correction{r.Output, row.ID, t.Target})
		}
	}
	return fixes, refused, nil
}

// XLIFFName is the name of the XLIFF document of a record, '/'-separated.
func XLIFFName(opt Options, r Record) string {
	if n, ok := opt.Documents.(recordNamer); ok {
		if output, ok := n.outputOf(r.Output); ok {
			return output + ".xlf"
		}
	}
	return r.Output + ".xlf"
}

// WriteXLIFF writes one document of the job as XLIFF. Opt is that of the job, as for
// OpenEditor.
func (s *Segments) WriteXLIFF(ctx context.Context, w io.Writer, r Record, opt Options, version xliff.Version) error {
	if named := opt.outputsOf([]Record{r}); len(named) == 1 {
		r = named[0]
	}
	return writeXLIFF(ctx, w, s.l, r, opt, version)
}

// Output is a translation that a job makes.
type Output struct {
	Input, Name, Language string // Name: its place, by which the ledger knows it
}

// Outputs lists the translations that a job with these documents makes.
func Outputs(ctx context.Context, d Documents, to []string) ([]Output, error) {
	docs, err := d.List(ctx)
	if err != nil {
		return nil, err
	}
	r := &runner{opt: Options{To: to}, docs: d}
	var rep Report
	var out []Output
	for _, t := range r.plan(docs, &rep) {
		out = append(out, Output{t.doc.Path, r.recordName(t.output), t.to})
	}
	return out, nil
}
