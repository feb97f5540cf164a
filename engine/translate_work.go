package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"atelier/formats"
	"atelier/llm"
	"atelier/llm/models"
	"atelier/workshop"
	"atelier/workshop/agent/spend"
	"atelier/workshop/translate"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/terms"
	"atelier/workshop/translate/translator"
)

// translatePlace says where a translation reads and writes, and who has consented
// to what it sends.
type translatePlace struct {
	workbench      *workshop.Workbench // nil: none
	run            string              // the job's name in the usage of the workbench
	documents      translate.Documents // nil: inputs, translated into copies below out
	inputs         []string            // paths of the machine
	root           string              // of inputs; ""
	out            string              // a folder of the machine
	files          translate.Files     // the other files of the job
	ledger, memory string              // paths of the databases; ledger "": below out
	title          string              // of reports
	param          func(string) string // the caller's name for a member of the params
	// client returns the client of a model, with the consent it needs.
	client func(ctx context.Context, w *translateWork, m resolvedModel) (llm.Client, string, error)
}

// translateWork is a translation that is ready to run.
type translateWork struct {
	engine   *Engine
	params   TranslateStartParams
	at       translatePlace
	opt      translate.Options
	meter    *spend.Meter // nil: no budget
	returned *translate.Returned
	made     func()       // called after the run; nil: nothing is to be done
	cluster  *clusterJob  // nil: this process asks the model
	say      func(string) // tells a person what is to be known of the cluster; nil: nobody
	closers  []func()
}

// newTranslation makes the translation engine, with consent, and reads the terms.
// m is the model that translates when the params name no other engine. The
// caller opens the memory, then runs the work, and closes it, with what it has of a
// cluster (nil: nothing), which is closed here when there is an error.
func (e *Engine) newTranslation(ctx context.Context, p TranslateStartParams, m resolvedModel, at translatePlace, in *clusterJob) (_ *translateWork, err error) {
	w := &translateWork{engine: e, params: p, at: at, cluster: in, closers: []func(){in.close}}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	w.opt = translate.Options{From: p.From, To: p.To, Root: at.root, Out: at.out, Documents: at.documents, Ledger: at.ledger, Formats: e.formats,
		Jobs: p.Jobs, Force: p.Force, DryRun: p.DryRun, Strict: p.Strict, Sentences: p.Sentences, Instructions: p.Instructions,
		Segments: formats.SegmentOptions{Masters: p.Masters, SheetNames: p.SheetNames}, Price: translatePrice(p, m)}
	if in != nil {
		w.opt.Shared, w.opt.Batches, w.opt.Admit = in.texts, clusterBatches, in.admit
	}
	if err := w.readTerms(ctx); err != nil {
		return nil, err
	}
	return w, w.chooseTranslator(ctx, m)
}

// check refuses TMX and XLIFF that are not there. Reading them may take long, so
// it is left to the job.
func (w *translateWork) check(ctx context.Context) error {
	for _, name := range w.params.TMX {
		in, err := w.at.files.Open(ctx, name)
		if err != nil {
			return err
		}
		in.Close()
	}
	if w.params.XLIFFIn == "" {
		return nil
	}
	_, err := w.at.files.XLIFF(ctx, w.params.XLIFFIn)
	return err
}

// close closes what the work opened; a nil work has nothing open.
func (w *translateWork) close() {
	if w == nil {
		return
	}
	for i := len(w.closers) - 1; i >= 0; i-- {
		w.closers[i]()
	}
	w.closers = nil
}

// fault is an error about a member of the params.
func (w *translateWork) fault(param string, err error) error {
	return workshop.Faultf(workshop.Invalid, "%s: %w", w.at.param(param), err)
}

// readTerms reads the glossary and what is not translated.
func (w *translateWork) readTerms(ctx context.Context) (err error) {
	if name := w.params.Glossary; name != "" {
		if w.opt.Glossary, err = w.readGlossary(ctx, name); err != nil {
			return err
		}
	}
	w.opt.Protected, err = terms.PatternsWith(w.params.DoNotTranslate, func(name string) (io.ReadCloser, error) { return w.at.files.Open(ctx, name) })
	if err != nil && !w.onHost() {
		err = validation("do_not_translate: " + err.Error())
	}
	return err
}

// onHost reports whether the job's files are those of the machine.
func (w *translateWork) onHost() bool {
	_, ok := w.at.files.(translate.HostFiles)
	return ok
}

func (w *translateWork) readGlossary(ctx context.Context, name string) (*terms.Glossary, error) {
	if w.onHost() {
		return terms.Load(name)
	}
	in, err := w.at.files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	g, err := terms.Read(name, in)
	if err != nil {
		return nil, validation("glossary: " + err.Error())
	}
	return g, nil
}

// translatePrice is the price that the params give, else the model's.
func translatePrice(p TranslateStartParams, m resolvedModel) translate.Price {
	if p.Price != nil {
		return translate.PriceOf(&models.Price{Input: &p.Price.Input, Output: &p.Price.Output})
	}
	if !asksModel(p, m) {
		return translate.Price{}
	}
	return translate.PriceOf(m.settings.Price)
}

// asksModel reports whether a translation is made by a model other than the
// built-in one.
func asksModel(p TranslateStartParams, m resolvedModel) bool {
	return (p.Engine == "" || p.Engine == "model") && !m.builtIn()
}

// chooseTranslator makes the translation engine with its budget.
func (w *translateWork) chooseTranslator(ctx context.Context, m resolvedModel) error {
	spending := translationSpending{Workbench: w.at.workbench, Budget: w.params.Budget, Parallel: cmp.Or(w.params.Jobs, translate.DefaultJobs) * max(1, w.opt.Batches)}
	switch {
	case w.params.Engine == "apertium":
		a, err := translator.NewApertium(ctx)
		if err != nil {
			return err
		}
		w.opt.Engine = a
		w.closers = append(w.closers, func() { a.Close() })
	case w.params.Engine == "none":
		w.opt.Engine = translator.None{}
	case !asksModel(w.params, m):
		w.opt.Engine = translator.Pseudo{}
	default:
		return w.useModel(ctx, m, spending)
	}
	var err error
	w.meter, err = w.engine.translationMeter(ctx, spending)
	w.opt.Allow = w.meter.Allow
	return err
}

// useModel makes the translation engine that asks a model. In a dry run it asks
// nothing, not even for the model's window.
func (w *translateWork) useModel(ctx context.Context, m resolvedModel, spending translationSpending) (err error) {
	e, dry := w.engine, w.params.DryRun
	spending.Model, spending.Window = &m, m.settings.Window
	if p := w.params.Price; p != nil {
		spending.Price = &models.Price{Input: &p.Input, Output: &p.Output}
		if known := m.settings.Price; known != nil { // so that the sums of the folder are in one currency
			spending.Price.Currency = known.Currency
		}
	}
	if !dry { // an impossible budget is refused before anybody is asked for consent
		if _, err := e.translationMeter(ctx, spending); err != nil {
			return err
		}
	}
	client, key, err := w.at.client(ctx, w, m)
	if err != nil {
		return err
	}
	if wb := w.at.workbench; wb != nil {
		client = e.countedClient(wb, m, w.at.run, spending.Price, client)
	} else {
		client = spend.Traced(client, m.provider.ID, m.id, workshop.UsageTranslate)
	}
	if !dry {
		spending.Window, _ = e.window(ctx, m, key)
		if w.meter, err = e.translationMeter(ctx, spending); err != nil { // its time begins now
			return err
		}
	}
	t, err := translator.NewModel(translator.ModelOptions{Client: w.meter.Client(client), Model: m.id, APIKey: key, Window: spending.Window,
		Limit: translator.NewLimiter(w.params.Rate, w.params.TokenRate), Sleep: w.meter.Sleep})
	if err != nil {
		return err
	}
	w.opt.Engine, w.opt.Suggest, w.opt.Allow = t, true, w.meter.Allow // other engines have no use for suggestions
	return nil
}

// openMemory opens the translation memory and reads the TMX files into it. A dry
// run works on a copy, since it writes nothing.
func (w *translateWork) openMemory(ctx context.Context) (err error) {
	path := w.at.memory
	if w.params.DryRun {
		if path, err = w.copyMemory(ctx, path); err != nil {
			return err
		}
	} else if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("the folder of the translation memory cannot be made: %w", err)
	} else if err := writable(filepath.Dir(path)); err != nil {
		return fmt.Errorf("the folder of the translation memory cannot be written: %w", err)
	}
	m, err := memory.Open(ctx, path)
	if err != nil {
		return err
	}
	w.closers = append(w.closers, func() { m.Close() })
	w.opt.Memory = m
	for _, name := range w.params.TMX {
		if err := w.importTMX(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// writable returns why no file can be made in a folder: SQLite does not say.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, "*.tmp")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (w *translateWork) importTMX(ctx context.Context, name string) error {
	in, err := w.at.files.Open(ctx, name)
	if err != nil {
		return fmt.Errorf("%s: %w", w.at.param("tmx"), err)
	}
	defer in.Close()
	if _, err := w.opt.Memory.ImportTMX(ctx, in); err != nil {
		return workshop.Faultf(workshop.Invalid, "%s %s: %w", w.at.param("tmx"), name, err)
	}
	return nil
}

// copyMemory makes a copy of the memory at path, which need not be there, that
// lasts as long as the work.
func (w *translateWork) copyMemory(ctx context.Context, path string) (string, error) {
	dir, err := os.MkdirTemp("", "atelier-dry-*")
	if err != nil {
		return "", err
	}
	w.closers = append(w.closers, func() { os.RemoveAll(dir) })
	scratch := filepath.Join(dir, "memory.db")
	if _, err := os.Stat(path); err != nil {
		return scratch, nil
	}
	old, err := memory.Open(ctx, path)
	if err != nil {
		return "", err
	}
	defer old.Close()
	fresh, err := memory.Open(ctx, scratch)
	if err != nil {
		return "", err
	}
	defer fresh.Close()
	r, out := io.Pipe()
	go func() {
		_, err := old.ExportTMX(ctx, out, memory.ExportOptions{Machine: true})
		out.CloseWithError(err)
	}()
	_, err = fresh.ImportTMX(ctx, r)
	r.CloseWithError(err)
	return scratch, err
}

// isPage reports whether a report is written as a page for people.
func isPage(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".html" || ext == ".htm"
}
