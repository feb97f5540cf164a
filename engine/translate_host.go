package engine

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/translate"
	"atelier/workshop/translate/translator"
)

// HostTranslation is a translation whose files are those of the machine. Only a
// caller in the engine's own process can ask for one: no method of the protocol
// leads here (decision 56).
type HostTranslation struct {
	// Params say what to do; Model must be set. Glossary, TMX, XLIFF, reports and
	// @FILE are paths of the machine, Jobs may be larger than over the protocol, and
	// Paths and Folder are not used.
	Params TranslateStartParams
	// Inputs are files and folders of the machine, translated into copies below
	// Out, where the job keeps its state too. With Workbench they are paths of that
	// workbench, whose draft takes the translations in place.
	Inputs []string
	// Root is a folder; the copies of Inputs below it that are files keep their path
	// below it. "": their name only.
	Root      string
	Out       string
	Workbench *workshop.Workbench
	Memory    string // file of the translation memory; "": one with the job's state
	Title     string // of reports
	// Param returns the caller's name for a member of Params, for messages.
	Param func(name string) string
	// WriteFile writes a file that the caller named.
	WriteFile func(path string, write func(io.Writer) error) error
	// Cluster, if set, has workers that ask the model in the place of this process, for
	// the job with the id ClusterID. Say is called with what a person should know of it.
	Cluster   Cluster
	ClusterID string
	Say       func(string)
	// Consent is called with the error of a consent that is missing. When it
	// returns nil, having called grant, the consent is looked up again.
	Consent func(ctx context.Context, missing error, grant func(*ErrorInfo) error) error
}

// Translation is a translation of files of the machine, ready to run.
type Translation struct {
	work   *translateWork
	leave  func()
	remote *remoteTranslation // another process translates; nil: this one
}

// TranslationResult is the outcome of a Translation.
type TranslationResult struct {
	Report translate.Report
	XLIFF  int           // XLIFF documents written; -1: none were asked for, or they could not be written
	Over   *runerr.Error // the budget ended the translation; nil: none did
	Ended  error         // why the cluster ended the translation; nil: it did not
	Err    error         // of the run; nil even when files failed
	Output error         // XLIFF, TMX and reports that could not be written
}

// NewTranslation prepares a translation of files of the machine, with consent. The
// caller closes it.
func (e *Engine) NewTranslation(ctx context.Context, h HostTranslation) (*Translation, error) {
	m := e.resolve(h.Params.Model)
	if h.Workbench != nil {
		if to := e.holderOf(h.Workbench.ID()); to != nil {
			if h.Cluster != nil {
				return nil, workshop.Faultf(workshop.Conflict, "another process of Atelier has the folder open; %s needs it closed there", h.Param("cluster"))
			}
			return e.translateElsewhere(ctx, to, h)
		}
		if h.Workbench.ReadOnly() && !e.opt.ReadOnly { // the process that had it open has ended
			wb, err := e.workbench(ctx, h.Workbench.ID())
			if err != nil {
				return nil, err
			}
			h.Workbench = wb.Workbench
		}
	}
	var err error
	var in *clusterJob
	if h.Cluster != nil {
		if in, err = enterCluster(ctx, h.Cluster, h.ClusterID, &h.Params, &m, h.Param("cluster")); err != nil {
			return nil, err
		}
	}
	t := &Translation{leave: func() {}}
	at := translatePlace{inputs: h.Inputs, root: h.Root, out: h.Out, memory: h.Memory, files: translate.HostFiles{WriteFile: h.WriteFile}, title: h.Title, param: h.Param}
	if at.memory == "" {
		at.memory = filepath.Join(h.Out, ".atelier", "memory.db")
	}
	at.client = func(ctx context.Context, w *translateWork, m resolvedModel) (llm.Client, string, error) {
		return e.consentedFiles(ctx, w, h, m)
	}
	if h.Workbench != nil {
		leave, err := e.placeInDraft(h, &at)
		if err != nil {
			in.close()
			return nil, err
		}
		t.leave = leave
	}
	if t.work, err = e.newTranslation(ctx, h.Params, m, at, in); err == nil {
		t.work.say = h.Say
		err = t.work.openMemory(ctx)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// placeInDraft makes a workbench's draft the place of a translation; leave ends
// that.
func (e *Engine) placeInDraft(h HostTranslation, at *translatePlace) (leave func(), err error) {
	wb := h.Workbench
	where := translate.DraftOptions{To: h.Params.To}
	for _, in := range h.Inputs {
		p, err := workshop.ParseStrict(in)
		if err != nil {
			return nil, err
		}
		where.Paths = append(where.Paths, p)
	}
	if leave, err = wb.Begin(workshop.ActTranslation); err != nil {
		return nil, err
	}
	at.workbench, at.run, at.inputs, at.ledger = wb, wb.Conversation().NewMessageID("t-"), nil, ledgerOf(wb)
	if h.Memory == "" {
		at.memory = memoryOf(wb)
	}
	if at.documents, err = translate.InDraft(wb, where); err == nil {
		err = os.MkdirAll(translate.StateDir(wb), 0o700)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// consentedFiles returns the client of a model for files of the machine, and keeps
// documents from the translation that came after the consent was given. A dry run
// needs no consent: its client sends nothing.
func (e *Engine) consentedFiles(ctx context.Context, w *translateWork, h HostTranslation, m resolvedModel) (llm.Client, string, error) {
	for {
		docs, err := w.hostDocuments(ctx)
		if err != nil {
			return nil, "", err
		}
		client, key, err := e.filesClient(ctx, m, docs)
		if err == nil || client != nil && w.params.DryRun {
			return client, key, w.only(ctx, docs)
		}
		if h.Consent == nil {
			return nil, "", err
		}
		// Then once more: documents may have come while the person was reading.
		if err := h.Consent(ctx, err, func(*ErrorInfo) error { return e.grantFiles(ctx, m, docs, true) }); err != nil {
			return nil, "", err
		}
	}
}

// hostDocuments are the documents of the translation as paths of the machine.
func (w *translateWork) hostDocuments(ctx context.Context) ([]string, error) {
	docs, err := translate.Inputs(ctx, w.opt, w.at.inputs)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range docs {
		p, err := w.hostPath(d)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (w *translateWork) hostPath(d translate.Document) (string, error) {
	if wb := w.at.workbench; wb != nil {
		return filepath.Abs(filepath.Join(wb.Root(), filepath.FromSlash(d.Path)))
	}
	return filepath.Abs(d.Path)
}

// only leaves out of the translation what is not among docs, and what models are
// not given.
func (w *translateWork) only(ctx context.Context, docs []string) (err error) {
	listed := make(map[string]bool, len(docs))
	for _, d := range docs {
		listed[d] = true
	}
	w.opt.Only = func(d translate.Document) bool {
		p, err := w.hostPath(d)
		return err == nil && listed[p]
	}
	if wb := w.at.workbench; wb != nil {
		w.opt.Withheld, err = w.engine.withheld(ctx, wb.ID())
	}
	return err
}

// Pseudo reports whether the built-in model translates, which marks text only.
func (t *Translation) Pseudo() bool {
	if t.remote != nil {
		return t.remote.ready.Pseudo
	}
	_, ok := t.work.opt.Engine.(translator.Pseudo)
	return ok
}

// Recipe identifies what the job makes of a document besides the document's content:
// languages, engine, terms, instructions. It is "" if another process translates.
func (t *Translation) Recipe() string {
	if t.remote != nil {
		return ""
	}
	return t.work.opt.Recipe()
}

// LeavesToPeople reports whether the job gives the texts to people, as XLIFF, and
// translates nothing itself.
func (t *Translation) LeavesToPeople() bool {
	if t.remote != nil {
		return t.remote.ready.LeavesToPeople
	}
	_, none := t.work.opt.Engine.(translator.None)
	return none && t.work.params.XLIFFOut != ""
}

// Price is the price by which the job's cost is counted.
func (t *Translation) Price() translate.Price {
	if t.remote != nil {
		return t.remote.ready.Price
	}
	return t.work.opt.Price
}

// Run translates. progress is called with each step, one call at a time. The error
// is set when nothing was begun, since the XLIFF that people reviewed cannot be
// read.
func (t *Translation) Run(ctx context.Context, progress func(translate.Progress)) (TranslationResult, error) {
	if t.remote != nil {
		return t.remote.run(ctx, progress)
	}
	t.work.opt.Progress = progress
	if err := t.work.openReturned(ctx); err != nil {
		return TranslationResult{}, err
	}
	out := t.work.run(ctx)
	return TranslationResult{Report: out.report, XLIFF: out.xliff, Over: out.over, Ended: out.ended, Err: out.err, Output: out.output}, nil
}

// Close ends the use of what the translation opened.
func (t *Translation) Close() {
	if t.remote != nil {
		t.remote.close()
		return
	}
	t.work.close()
	t.leave()
}
