package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"atelier/llm/relay"
	"atelier/workshop"
	"atelier/workshop/translate"
)

// translation is a job at work.
type translation struct {
	wb     *openWorkbench
	params TranslateStartParams
	cancel context.CancelCauseFunc
	gone   chan struct{} // closed when it is no longer registered

	mu     sync.Mutex // protects the fields below
	job    TranslateJob
	last   time.Time // of a progress notification
	ending bool      // its work is done; what it ended as is not told yet
}

func (t *translation) state() TranslateJob {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.job
}

func (t *translation) isEnding() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ending
}

// progressEvery is the least time between notifications of one document's
// progress; that a document is done is always said.
const progressEvery = 200 * time.Millisecond

func (e *Engine) translateStart(ctx context.Context, p TranslateStartParams) (TranslateStarted, error) {
	if err := checkTranslate(&p); err != nil {
		return TranslateStarted{}, err
	}
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return TranslateStarted{}, err
	}
	if wb.ReadOnly() {
		return TranslateStarted{}, validation("the workbench is open for reading only")
	}
	id := jobID(p)
	e.mu.Lock()
	live, closing := e.translations[id], e.closing
	e.mu.Unlock()
	switch {
	case closing:
		return TranslateStarted{}, errClosing
	case live != nil && !live.isEnding():
		return TranslateStarted{JobID: id, Resumed: true}, nil
	case live != nil:
		select {
		case <-live.gone:
		case <-ctx.Done():
			return TranslateStarted{}, ctx.Err()
		}
	}
	_, known := e.translateJob(wb, id)
	// The job outlives the call, and holds the workbench open.
	jobCtx, end := e.begin(context.WithoutCancel(ctx))
	jobCtx, cancel := context.WithCancelCause(jobCtx)
	// Until the job has begun, it ends with the call: a model server may take minutes to
	// say what it is.
	begun := context.AfterFunc(ctx, func() { cancel(ctx.Err()) })
	leave, err := e.take(wb, workshop.ActTranslation, func() { cancel(errTranslateCanceled) })
	if err != nil {
		begun()
		cancel(nil)
		end()
		return TranslateStarted{}, err
	}
	stop := func() { cancel(nil); leave(nil); end() }
	w, err := e.translateWork(jobCtx, wb, p)
	if err == nil {
		_, err = e.workbench(jobCtx, p.WorkbenchID)
	}
	if !begun() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		w.close()
		stop()
		return TranslateStarted{}, err
	}
	t := &translation{wb: wb, params: p, cancel: cancel, gone: make(chan struct{}), job: TranslateJob{JobID: id, Status: translateRunning, To: p.To, InPlace: p.InPlace, Folder: p.Folder, Engine: w.opt.Engine.Name(),
		StartedAt: rfc3339(e.opt.Now()), DryRun: p.DryRun, Currency: w.opt.Price.Currency}}
	if w.cluster != nil {
		t.job.ClusterJob = w.cluster.id
		w.say = func(what string) { e.translateNote(t, what) }
	}
	if err = t.save(t.job, nil); err == nil {
		err = e.register(t)
	}
	if err != nil {
		w.close()
		stop()
		return TranslateStarted{}, err
	}
	go func() {
		defer e.translating.Done()
		w.opt.Progress = func(p translate.Progress) { e.translateProgress(t, p) }
		out := translateOutcome{err: e.awaitTurn(jobCtx, t)}
		if out.err == nil {
			out = w.openAndRun(jobCtx)
		}
		w.close()
		job := t.ended(context.Cause(jobCtx), out, rfc3339(e.opt.Now()))
		if err := t.save(job, out.report.Files); err != nil {
			e.log.Error("a translation job's record cannot be written", "job", id, "err", err)
		}
		stop() // before the end shows: the workbench is free for who sees it
		e.mu.Lock()
		delete(e.translations, id)
		e.mu.Unlock()
		close(t.gone)
		e.hub.Emit(Notification{Method: "TranslateComplete", Params: TranslateCompleted{WorkbenchID: p.WorkbenchID, TranslateJob: job}})
	}()
	return TranslateStarted{JobID: id, Resumed: known == nil}, nil
}

var errClosing = workshop.Faultf(workshop.Internal, "the engine is closing")

// translateWork prepares a job, and refuses params that name what is not there.
func (e *Engine) translateWork(ctx context.Context, wb *openWorkbench, p TranslateStartParams) (w *translateWork, err error) {
	model := p.Model
	if model == "" && (p.Engine == "" || p.Engine == "model") {
		if model, err = e.activeModel(ctx, wb); err != nil {
			return nil, err
		}
	}
	m := e.resolve(model)
	at, err := e.translateIn(ctx, wb, p, asksModel(p, m))
	if err != nil {
		return nil, err
	}
	var in *clusterJob
	if p.Cluster {
		if e.opt.Cluster == nil {
			return nil, validation("cluster: Atelier was started without --cluster; leave cluster out, or start it with the addresses of a cluster")
		}
		if in, err = enterCluster(ctx, e.opt.Cluster, clusterJobID(wb.ID(), jobID(p)), &p, &m, "cluster"); err != nil {
			return nil, err
		}
	}
	if w, err = e.newTranslation(ctx, p, m, at, in); err != nil {
		return nil, err
	}
	return w, w.check(ctx)
}

// register counts a job among those at work.
func (e *Engine) register(t *translation) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closing {
		return errClosing
	}
	if e.translations == nil {
		e.translations = map[string]*translation{}
	}
	e.translations[t.job.JobID] = t
	e.translating.Add(1)
	return nil
}

func (e *Engine) translateProgress(t *translation, p translate.Progress) {
	t.mu.Lock()
	t.job.Files, t.job.FilesDone = p.Files, p.FilesDone
	switch p.Status {
	case translate.StatusFailed:
		t.job.Failed++
	case translate.StatusFlagged:
		t.job.Flagged++
	}
	now := e.opt.Now()
	quiet := p.Status == "" && now.Sub(t.last) < progressEvery
	if !quiet {
		t.last = now
	}
	n := TranslateProgress{WorkbenchID: t.wb.ID(), JobID: t.job.JobID, Path: p.Input, Language: p.Language, Segments: p.Segments, Done: p.Done,
		Status: string(p.Status), Files: p.Files, FilesDone: p.FilesDone, Tokens: p.Usage.PromptTokens + p.Usage.CompletionTokens}
	t.mu.Unlock()
	if !quiet {
		e.hub.Emit(Notification{Method: "TranslateProgress", Params: n})
	}
}

// translateNote tells what a person should know about a job.
func (e *Engine) translateNote(t *translation, what string) {
	t.mu.Lock()
	t.job.Note = what
	n := TranslateProgress{WorkbenchID: t.wb.ID(), JobID: t.job.JobID, Files: t.job.Files, FilesDone: t.job.FilesDone, Note: what}
	t.mu.Unlock()
	e.hub.Emit(Notification{Method: "TranslateProgress", Params: n})
}

// ended is the job as it ended. Until it is no longer registered, it shows as
// running.
func (t *translation) ended(cause error, out translateOutcome, now string) TranslateJob {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ending = true
	j, rep := t.job, out.report
	j.EndedAt, j.Figures, j.Files, j.Failed, j.Flagged, j.Untranslated, j.XLIFF = now, rep.Total, len(rep.Files), rep.Failed(), 0, rep.Untranslated(), max(0, out.xliff)
	for _, f := range rep.Files {
		if f.Status == translate.StatusFlagged {
			j.Flagged++
		}
	}
	if out.output != nil {
		j.Error = out.output.Error()
	}
	switch {
	case errors.Is(cause, errTranslateCanceled):
		j.Status = translateCanceled
	case cause != nil:
		j.Status = translateInterrupted
	case errors.Is(out.ended, relay.ErrCanceled):
		j.Status, j.Error = translateCanceled, joined(out.ended.Error(), j.Error)
	case out.ended != nil:
		j.Status, j.Error = translateFailed, joined(out.ended.Error(), j.Error)
	case out.over != nil:
		j.Status, j.Error, j.ErrorCode = translateOver, joined(out.over.Error()+": "+out.over.Hint, j.Error), out.over.Code
	case out.err != nil:
		j.Status, j.Error = translateFailed, joined(out.err.Error(), j.Error)
	default:
		j.Status, j.FilesDone = translateComplete, j.Files
	}
	return j
}

// joined is one message of two, of which the second may be "".
func joined(first, second string) string {
	if second == "" {
		return first
	}
	return first + "\n" + second
}

// save writes the record of the job, and its files when it has ended.
func (t *translation) save(job TranslateJob, files []translate.FileReport) error {
	base := filepath.Join(translateDir(t.wb), job.JobID)
	if err := os.MkdirAll(filepath.Dir(base), 0o700); err != nil {
		return err
	}
	if files != nil {
		if err := writeJSON(base+".files.json", files); err != nil {
			return err
		}
	}
	return writeJSON(base+".json", translateRecord{job, t.params})
}
