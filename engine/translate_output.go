package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"atelier/internal/trace"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/translate"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/xliff"
)

// translateOutcome is what a translation came to.
type translateOutcome struct {
	report translate.Report
	xliff  int           // XLIFF documents written; -1: none were asked for, or they could not be written
	over   *runerr.Error // the budget that ended it; nil: none did
	ended  error         // why the cluster ended it; nil: it did not
	err    error         // of the run; nil even when files failed
	output error         // XLIFF, TMX and reports that could not be written
}

// openReturned reads what came back from people, before anything is translated.
func (w *translateWork) openReturned(ctx context.Context) (err error) {
	if w.params.XLIFFIn == "" || w.returned != nil {
		return nil
	}
	if w.returned, err = translate.OpenReturned(ctx, w.at.files, w.params.XLIFFIn, w.opt); err != nil {
		return w.fault("xliff_in", err)
	}
	w.opt.Given = w.returned.Given
	return nil
}

// openAndRun reads the memory and the XLIFF of the job, then runs it.
func (w *translateWork) openAndRun(ctx context.Context) (out translateOutcome) {
	if out.err = w.openMemory(ctx); out.err == nil {
		out.err = w.openReturned(ctx)
	}
	if out.err != nil {
		return out
	}
	return w.run(ctx)
}

// run translates, and writes XLIFF, TMX and reports, also those of a job that was
// stopped. openReturned was called before.
func (w *translateWork) run(ctx context.Context) (out translateOutcome) {
	ctx, span := trace.Start(ctx, "translation")
	defer func() {
		span.Set(trace.Int("atelier.documents", len(out.report.Files)), trace.Int("atelier.documents_failed", out.report.Failed()))
		span.FailIf(errors.Join(out.err, out.ended), "stopped")
		if out.over != nil {
			span.Fail(out.over.Code)
		}
		span.End()
	}()
	if w.cluster != nil && !w.params.DryRun {
		return w.runInCluster(ctx)
	}
	return w.runHere(ctx)
}

func (w *translateWork) runHere(ctx context.Context) (out translateOutcome) {
	out.report, out.err = translate.Run(ctx, w.opt, w.at.inputs)
	if w.made != nil {
		w.made()
	}
	if out.over = w.meter.Over(); out.over != nil {
		out.report.ErrorCode, out.report.Error = out.over.Code, out.over.Error()
	}
	if w.returned != nil && ctx.Err() == nil {
		out.report.Files = append(out.report.Files, w.returned.Unused()...)
	}
	ctx = context.WithoutCancel(ctx)
	var xerr error
	out.xliff, xerr = w.writeXLIFF(ctx, out.report)
	out.output = errors.Join(xerr, w.writeTMX(ctx))
	for _, name := range w.params.Reports {
		out.output = errors.Join(out.output, w.writeReport(ctx, name, out.report))
	}
	return out
}

func (w *translateWork) openLedger(ctx context.Context) (*translate.Ledger, error) {
	if w.opt.Ledger != "" {
		return translate.OpenLedger(ctx, w.opt.Ledger)
	}
	return translate.OpenLedger(ctx, filepath.Join(w.opt.Out, filepath.FromSlash(translate.LedgerName)))
}

func (w *translateWork) writeXLIFF(ctx context.Context, rep translate.Report) (int, error) {
	if w.params.XLIFFOut == "" || len(rep.Files) == 0 {
		return -1, nil
	}
	l, err := w.openLedger(ctx)
	if err != nil {
		return -1, err
	}
	defer l.Close()
	n, err := translate.WriteXLIFF(ctx, w.at.files, l, rep, w.opt, w.params.XLIFFOut, xliff.Version(w.params.XLIFFVersion))
	if err != nil {
		return -1, err
	}
	return n, nil
}

// writeTMX writes what the memory has, machines' translations too.
func (w *translateWork) writeTMX(ctx context.Context) error {
	if w.params.TMXOut == "" || w.params.DryRun {
		return nil
	}
	return w.at.files.Write(ctx, w.params.TMXOut, func(out io.Writer) error {
		_, err := w.opt.Memory.ExportTMX(ctx, out, memory.ExportOptions{Machine: true})
		return err
	})
}

func (w *translateWork) writeReport(ctx context.Context, name string, rep translate.Report) (err error) {
	if !isPage(name) {
		return w.at.files.Write(ctx, name, func(out io.Writer) error { return WriteTranslateReport(out, rep) })
	}
	var l *translate.Ledger
	if !rep.DryRun {
		if l, err = w.openLedger(ctx); err != nil {
			return err
		}
		defer l.Close()
	}
	err = w.at.files.Write(ctx, name, func(out io.Writer) error {
		return translate.WritePage(ctx, out, l, rep, w.opt, translate.PageOptions{Title: w.at.title, Made: time.Now(), Version: Version})
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", w.at.param("reports"), err)
	}
	return err
}

// WriteTranslateReport writes the report of a translation as JSON.
func WriteTranslateReport(out io.Writer, rep translate.Report) error {
	b, err := json.MarshalIndent(rep, "", "  ")
	if err != nil {
		return err
	}
	_, err = out.Write(append(b, '\n'))
	return err
}
