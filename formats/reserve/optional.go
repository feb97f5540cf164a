package reserve

import (
	"context"
	"encoding/json"
	"io"

	"atelier/formats"
)

// reader waits for memory. What a Reader can do beside Read, the wrapped one can do too.
type reader struct {
	r reserver
	f formats.Reader
}

func (w reader) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	ctx, mem, err := w.r.reserve(ctx, w.r.Read, src)
	if err != nil {
		return formats.Text{}, err
	}
	defer mem.Release()
	return w.f.Read(ctx, src, sel)
}

type fitting struct {
	r reserver
	f formats.FittingReader
}

func (w fitting) ReadFitting(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	ctx, mem, err := w.r.reserve(ctx, w.r.Read, src)
	if err != nil {
		return formats.Text{}, err
	}
	defer mem.Release()
	return w.f.ReadFitting(ctx, src, sel)
}

type parter struct {
	r reserver
	f formats.Parter
}

func (w parter) Parts(ctx context.Context, src formats.Source, emit func(formats.Part) error) error {
	ctx, mem, err := w.r.reserve(ctx, w.r.Read, src)
	if err != nil {
		return err
	}
	defer mem.Release()
	return w.f.Parts(ctx, src, emit)
}

func wrapReader(r reserver, f formats.Reader) formats.Reader {
	own := reader{r, f}
	fits, canFit := f.(formats.FittingReader)
	parts, hasParts := f.(formats.Parter)
	switch {
	case canFit && hasParts:
		return struct {
			reader
			fitting
			parter
		}{own, fitting{r, fits}, parter{r, parts}}
	case canFit:
		return struct {
			reader
			fitting
		}{own, fitting{r, fits}}
	case hasParts:
		return struct {
			reader
			parter
		}{own, parter{r, parts}}
	}
	return own
}

// editor waits for memory. Its lists of operations are those of the wrapped one.
type editor struct {
	formats.Editor
	r reserver
}

func (e editor) Apply(ctx context.Context, src formats.Source, dst io.Writer, ops []json.RawMessage, opt formats.ApplyOptions) (formats.Report, error) {
	ctx, mem, err := e.r.reserve(ctx, e.r.heavy(ops), src)
	if err != nil {
		return formats.Report{}, err
	}
	defer mem.Release()
	return e.Editor.Apply(ctx, src, dst, ops, opt)
}

// lineEditor is an editor of workbooks.
type lineEditor struct {
	editor
	settler formats.Settler
	lines   formats.LineEditor
}

func (e lineEditor) Settle(ctx context.Context, was, now formats.Source, dst io.Writer, opt formats.ApplyOptions) (int, error) {
	ctx, mem, err := e.r.reserve(ctx, max(e.r.Edit, e.r.Heavy), now)
	if err != nil {
		return 0, err
	}
	defer mem.Release()
	return e.settler.Settle(ctx, was, now, dst, opt)
}

func (e lineEditor) LinesChanged(ctx context.Context, before, after formats.Source) (formats.LineChanges, error) {
	ctx, mem, err := e.r.reserve(ctx, e.r.Diff, before, after)
	if err != nil {
		return nil, err
	}
	defer mem.Release()
	return e.lines.LinesChanged(ctx, before, after)
}

func wrapEditor(r reserver, f formats.Editor) formats.Editor {
	own := editor{f, r}
	settler, settles := f.(formats.Settler)
	lines, hasLines := f.(formats.LineEditor)
	if settles && hasLines {
		return lineEditor{own, settler, lines}
	}
	return own
}
