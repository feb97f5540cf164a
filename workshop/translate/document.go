package translate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"sync"

	"atelier/formats"
	"atelier/formats/reserve"
	"atelier/internal/budget"
	"atelier/llm"
)

// textsOfByte is about the memory of a document's texts and their translations, as a
// multiple of the size of its XML.
const textsOfByte = 10

// A document at work holds an index of its texts and a batch of them, also while a model
// answers. heldBase and heldOfByte are about what that takes: alone, and as a multiple of
// the size of its XML.
const (
	heldBase   = 1 << 20
	heldOfByte = 3
)

// heldTexts is what all documents that are being translated may hold, half of what the
// process has; the rest is for work that ends soon. More documents wait for their turn.
var heldTexts = sync.OnceValue(func() *budget.Budget { return budget.New(budget.Process.Limit() / 2) })

// holdTexts waits until the document may be worked on.
func holdTexts(ctx context.Context, src formats.Source) (*budget.Reservation, error) {
	_, held, err := heldTexts().Reserve(ctx, heldBase+heldOfByte*reserve.Size(src))
	return held, err
}

// document translates one document into one language.
func (r *runner) document(ctx context.Context, t task, rep *FileReport) error {
	if r.opt.Withheld != nil {
		if why := r.opt.Withheld(t.doc); why != "" {
			rep.Status, rep.Warnings = StatusSkipped, append(rep.Warnings, "not translated, since it is not given to models: "+why)
			return nil
		}
	}
	src, err := r.docs.Open(ctx, t.doc)
	if err != nil {
		return err
	}
	defer src.Close()
	now := Record{Output: r.recordName(t.output), Input: t.doc.Path, Language: t.to, SourceHash: src.Hash(), Recipe: r.recipe + r.opt.shape()}
	now.beforeHash = r.docs.Hash(ctx, t.output)
	if err := r.adoptRecord(ctx, t, now.beforeHash); err != nil {
		return err
	}
	given, flags, err := r.given(ctx, t, src)
	if err != nil {
		return err
	}
	for _, fl := range flags {
		rep.flag(fl)
	}
	if done, err := r.upToDate(ctx, t, &now, len(given) > 0, rep); err != nil || done {
		return err
	}
	if given == nil {
		if given, err = r.kept(ctx, now); err != nil {
			return err
		}
	}
	f, err := r.opt.Formats.Detect(ctx, src)
	if err != nil {
		return err
	}
	if f.Segmenter == nil {
		return fmt.Errorf("%s files cannot be translated", f.Kind)
	}
	held, err := holdTexts(ctx, src)
	if err != nil {
		return err
	}
	defer held.Release()
	w := r.newWork(t, rep, given)
	defer w.close()
	if err := eachSegment(ctx, f.Segmenter, src, r.opt.Segments, w.add); err != nil {
		return err
	}
	if r.opt.DryRun {
		rep.Status = StatusPlanned
		return w.estimate(ctx)
	}
	if err := w.translate(ctx); err != nil {
		return err
	}
	w.settled()
	again, err := w.finish()
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	now.Status, now.again = rep.statusOr(StatusOK), again
	var written formats.Report
	err = r.docs.Write(ctx, t.output, func(out io.Writer) error {
		written = formats.Report{}
		return w.replace(ctx, f.Segmenter, src, out, formats.ReplaceOptions{
			Language:  t.to,
			Warn:      func(message string) { rep.Warnings = append(rep.Warnings, message) },
			Calculate: true,
			Report:    &written,
		})
	}, func(hash string) error {
		now.OutputHash = hash
		return r.ledger.writing(ctx, &now, w.rows())
	})
	if err != nil {
		return err
	}
	rep.Warnings = append(rep.Warnings, written.Warnings...)
	rep.Status = now.Status
	if rep.untranslated() {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("nothing was translated: %s left in the source language", formats.Count(rep.Segments, "segment")))
	}
	// The document is there: that it is must be recorded even if the job ends now.
	return r.ledger.written(context.WithoutCancel(ctx), &now)
}

// upToDate reports whether there is nothing to translate, and sets the status then.
func (r *runner) upToDate(ctx context.Context, t task, now *Record, given bool, rep *FileReport) (bool, error) {
	if r.ledger == nil || r.opt.Force {
		return false, nil
	}
	done, err := r.ledger.record(ctx, now.Output)
	if err != nil {
		return false, err
	}
	if done != nil && done.Language == t.to && done.OutputHash == now.SourceHash && done.SourceHash != now.SourceHash {
		rep.Status = StatusSkipped // translated in place, and published since
		return true, nil
	}
	skip, err := r.verdict(ctx, t.output, now, given)
	if err == nil && skip {
		rep.Status = rep.statusOr(StatusSkipped)
		if done != nil && done.Status == StatusFlagged && done.OutputHash == now.beforeHash {
			rep.EarlierFlags, err = r.ledger.flagged(ctx, *done)
		}
	}
	return skip, err
}

// statusOr returns StatusFlagged for a document with flags, otherwise status.
func (rep *FileReport) statusOr(status Status) Status {
	if rep.FlagsTotal > 0 {
		return StatusFlagged
	}
	return status
}

// verdict is what an earlier run means for a document: skip it, or refuse to
// replace what is there. The zero verdict goes ahead.
func (r *runner) verdict(ctx context.Context, output string, now *Record, given bool) (skip bool, err error) {
	if now.beforeHash == "" {
		return false, nil
	}
	done, err := r.ledger.record(ctx, now.Output)
	if err != nil {
		return false, err
	}
	where := r.docs.Where(output)
	advice, ok := r.docs.(adviser)
	if !ok {
		advice = &folders{}
	}
	switch {
	case done == nil:
		return false, advice.advice(where, false)
	case done.Status == statusWriting && (now.beforeHash == done.OutputHash || now.beforeHash == done.beforeHash):
		return false, nil // the job ended while it wrote
	case done.Status != statusWriting && done.SourceHash == now.SourceHash && done.Language == now.Language && done.Recipe == now.Recipe && done.again == 0 && !given:
		return true, nil // also when a person has corrected it since
	case done.OutputHash != now.beforeHash:
		return false, advice.advice(where, true)
	}
	return false, nil
}

// fatal reports whether no other document will fare better.
func fatal(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && (e.Kind == llm.KindUnauthorized || e.Kind == llm.KindNoKey || e.Kind == llm.KindRefused)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// eachSegment calls do with the segments of a document in order.
func eachSegment(ctx context.Context, by formats.Segmenter, src formats.Source, opt formats.SegmentOptions, do func(formats.Segment) error) error {
	if bulk, ok := by.(formats.BulkSegmenter); ok {
		return bulk.EachSegment(ctx, src, opt, do)
	}
	ctx, mem, err := budget.Process.Reserve(ctx, textsOfByte*reserve.Size(src))
	if err != nil {
		return err
	}
	defer mem.Release()
	segs, err := by.Segments(ctx, src, opt)
	for i := range segs {
		if err == nil {
			err = do(segs[i])
		}
	}
	return err
}

// replace writes the document with its translations.
func (w *work) replace(ctx context.Context, by formats.Segmenter, src formats.Source, out io.Writer, opt formats.ReplaceOptions) error {
	var failed error
	targets := w.targets(&failed)
	var err error
	if bulk, ok := by.(formats.BulkSegmenter); ok {
		err = bulk.ReplaceEach(ctx, src, out, targets, opt)
	} else {
		ctx, mem, err := budget.Process.Reserve(ctx, textsOfByte*reserve.Size(src))
		if err != nil {
			return err
		}
		defer mem.Release()
		if all := maps.Collect(targets); failed == nil {
			err = by.Replace(ctx, src, out, all, opt)
		}
		if err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	return err
}
