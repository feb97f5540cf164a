package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
	"atelier/workshop/translate"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/terms"
	"atelier/workshop/translate/translator"
)

// translation is a job at work.
type translation struct {
	wb     *openWorkbench
	cancel context.CancelCauseFunc
	meter  *agent.Meter // nil: no budget

	mu   sync.Mutex
	job  TranslateJob
	last time.Time // of a progress notification
}

func (t *translation) state() TranslateJob {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.job
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
	case live != nil:
		return TranslateStarted{JobID: id, Resumed: true}, nil
	}
	_, known := e.translateJob(wb, id)
	// The job outlives the call, and holds the workbench open.
	jobCtx, end := e.begin(context.WithoutCancel(ctx))
	jobCtx, cancel := context.WithCancelCause(jobCtx)
	leave, err := wb.take(workshop.ActTranslation, func() { cancel(errTranslateCanceled) })
	if err != nil {
		cancel(nil)
		end()
		return TranslateStarted{}, err
	}
	stop := func() { cancel(nil); leave(); end() }
	opt, meter, done, err := e.translateOptions(jobCtx, wb, p)
	if err == nil {
		_, err = e.workbench(jobCtx, p.WorkbenchID)
	}
	if err != nil {
		done()
		stop()
		return TranslateStarted{}, err
	}
	t := &translation{wb: wb, cancel: cancel, meter: meter, job: TranslateJob{JobID: id, Status: translateRunning, To: p.To, InPlace: p.InPlace, Folder: p.Folder, Engine: opt.Engine.Name(), StartedAt: rfc3339(e.opt.Now())}}
	if err = t.save(nil); err == nil {
		err = e.register(t)
	}
	if err != nil {
		done()
		stop()
		return TranslateStarted{}, err
	}
	go func() {
		defer e.translating.Done()
		opt.Progress = func(p translate.Progress) { e.translateProgress(t, p) }
		rep, err := translate.Run(jobCtx, opt, nil)
		done()
		job := t.ended(context.Cause(jobCtx), rep, err, rfc3339(e.opt.Now()))
		if err := t.save(rep.Files); err != nil {
			e.log.Error("a translation job's record cannot be written", "job", id, "err", err)
		}
		e.mu.Lock()
		delete(e.translations, id)
		e.mu.Unlock()
		stop()
		e.hub.Emit(Notification{Method: "TranslateComplete", Params: TranslateCompleted{WorkbenchID: p.WorkbenchID, TranslateJob: job}})
	}()
	return TranslateStarted{JobID: id, Resumed: known == nil}, nil
}

var errClosing = workshop.Faultf(workshop.Internal, "the engine is closing")

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

// checkTranslate checks params and makes them what names the job.
func checkTranslate(p *TranslateStartParams) error {
	if len(p.To) == 0 {
		return validation("to is required: the language to translate into, such as es")
	}
	for i, to := range p.To {
		code, err := translate.Language(to)
		if err != nil {
			return validation("to: " + err.Error())
		}
		p.To[i] = code
	}
	if p.From != "" {
		code, err := translate.Language(p.From)
		if err != nil {
			return validation("from: " + err.Error())
		}
		p.From = code
	}
	switch {
	case p.InPlace && p.Folder != "":
		return validation("in_place and folder exclude each other")
	case p.InPlace && len(p.To) > 1:
		return validation("in place there can be one language; name a folder for several")
	case !p.InPlace && p.Folder == "":
		p.Folder = "translated"
	}
	switch p.Engine {
	case "", "model", "pseudo", "apertium", "none":
		return nil
	}
	return validation("unknown engine " + p.Engine + ": use model, pseudo, apertium or none")
}

// translateOptions are what the params say; done, which may always be called,
// closes what they opened.
func (e *Engine) translateOptions(ctx context.Context, wb *openWorkbench, p TranslateStartParams) (opt translate.Options, meter *agent.Meter, done func(), err error) {
	done = func() {}
	opt = translate.Options{From: p.From, To: p.To, Force: p.Force, Formats: e.formats, Instructions: p.Instructions, Suggest: true,
		Segments: formats.SegmentOptions{Masters: p.Masters, SheetNames: p.SheetNames}, Ledger: filepath.Join(translateDir(wb), "job.db")}
	where := translate.DraftOptions{To: p.To}
	if p.Folder != "" {
		if where.Folder, err = tools.ParsePath(p.Folder); err != nil {
			return opt, meter, done, err
		}
		if where.Folder == "" {
			return opt, meter, done, validation("folder cannot be the workbench itself; in_place puts translations in the originals' places")
		}
	}
	for _, s := range p.Paths {
		path, err := tools.ParsePath(s)
		if err != nil {
			return opt, meter, done, err
		}
		where.Paths = append(where.Paths, path)
	}
	if opt.Documents, err = translate.InDraft(wb.Workbench, where); err != nil {
		return opt, meter, done, err
	}
	if opt.Protected, err = terms.Patterns(p.DoNotTranslate); err != nil {
		return opt, meter, done, validation("do_not_translate: " + err.Error())
	}
	if p.Glossary != "" {
		if opt.Glossary, err = e.glossary(ctx, wb, p.Glossary); err != nil {
			return opt, meter, done, err
		}
	}
	var made func()
	if opt.Engine, meter, made, err = e.translator(ctx, wb, p, &opt); err != nil {
		return opt, meter, done, err
	}
	opt.Allow = meter.Allow
	if m, ok := opt.Engine.(*translator.Model); ok {
		opt.Price = translate.PriceOf(e.price(m.Name()))
	}
	if err := os.MkdirAll(translateDir(wb), 0o700); err != nil {
		return opt, meter, done, err
	}
	m, err := memory.Open(ctx, filepath.Join(translateDir(wb), "memory.db"))
	if err != nil {
		return opt, meter, done, err
	}
	opt.Memory = m
	return opt, meter, func() { m.Close(); made() }, nil
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

// ended sets how the job ended.
func (t *translation) ended(cause error, rep translate.Report, err error, now string) TranslateJob {
	t.mu.Lock()
	defer t.mu.Unlock()
	j := &t.job
	j.EndedAt, j.Figures, j.Files, j.Failed, j.Flagged = now, rep.Total, len(rep.Files), rep.Failed(), 0
	for _, f := range rep.Files {
		if f.Status == translate.StatusFlagged {
			j.Flagged++
		}
	}
	switch {
	case errors.Is(cause, errTranslateCanceled):
		j.Status = translateCanceled
	case cause != nil:
		j.Status = translateInterrupted
	case t.meter.Over() != nil:
		over := t.meter.Over()
		j.Status, j.Error, j.ErrorCode = translateOver, over.Error()+": "+over.Hint, over.Code
	case err != nil:
		j.Status, j.Error = translateFailed, err.Error()
	default:
		j.Status, j.FilesDone = translateComplete, j.Files
	}
	return *j
}

func (t *translation) save(files []translate.FileReport) error {
	base := filepath.Join(translateDir(t.wb), t.state().JobID)
	if files != nil {
		if err := writeJSON(base+".files.json", files); err != nil {
			return err
		}
	}
	return writeJSON(base+".json", t.state())
}
