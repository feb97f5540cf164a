package engine

import (
	"context"
	"io"

	"atelier/engine/egress"
	"atelier/formats"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/translate"
)

// translateIn is the place of a translation that reads the files of a workbench
// and writes into its draft.
func (e *Engine) translateIn(ctx context.Context, wb *openWorkbench, p TranslateStartParams, asks bool) (at translatePlace, err error) {
	where := translate.DraftOptions{To: p.To}
	if p.Folder != "" {
		if where.Folder, err = tools.ParsePath(p.Folder); err != nil {
			return at, err
		}
		if where.Folder == "" {
			return at, validation("folder cannot be the workbench itself; in_place puts translations in the originals' places")
		}
	}
	for _, s := range p.Paths {
		path, err := tools.ParsePath(s)
		if err != nil {
			return at, err
		}
		where.Paths = append(where.Paths, path)
	}
	if where.Leave, err = jobPaths(p); err != nil {
		return at, err
	}
	at = translatePlace{workbench: wb.Workbench, run: jobID(p), files: translate.DraftFiles(wb.Workbench), ledger: ledgerOf(wb.Workbench), memory: memoryOf(wb.Workbench),
		title: wb.Name(), param: func(name string) string { return name }, client: func(ctx context.Context, w *translateWork, m resolvedModel) (llm.Client, string, error) {
			return e.consentedIn(ctx, wb, w, m)
		}}
	if len(p.Paths) > 0 {
		at.title = formats.Count(len(p.Paths), "file and folder", "files and folders")
	}
	if len(p.Paths) == 1 {
		at.title = p.Paths[0]
	}
	if asks {
		withheld, err := e.withheld(ctx, wb.ID())
		if err != nil {
			return at, err
		}
		at.files = givenFiles{at.files, withheld}
	}
	at.documents, err = translate.InDraft(wb.Workbench, where)
	return at, err
}

// consentedIn returns the client of a model for the files of a workbench, and
// keeps from the translation the documents that the model may not be sent.
func (e *Engine) consentedIn(ctx context.Context, wb *openWorkbench, w *translateWork, m resolvedModel) (client llm.Client, key string, err error) {
	docs := e.documents(wb)
	allowed, err := e.consents.ForDocuments(ctx, docs, m.recipient())
	if err != nil {
		return nil, "", err
	}
	if w.params.DryRun { // nothing is sent
		if client, key, err = e.client(ctx, m); err == nil {
			client = e.consents.Client(client, allowed, egress.KindTranslate)
		}
	} else {
		client, key, err = e.clientWith(ctx, m, allowed, egress.KindTranslate)
	}
	if err != nil {
		return nil, "", err
	}
	if known := allowed.Known(); known != nil {
		w.opt.Only = func(d translate.Document) bool { return known.Has(workshop.Path(d.Path)) }
	}
	w.made = func() { e.consents.KeepMade(ctx, docs, allowed) }
	w.opt.Withheld, err = e.withheld(ctx, wb.ID())
	return client, key, err
}

// givenFiles are files of a workbench without those that models are not given: a
// glossary, a memory and reviewed texts reach the model as its documents do.
type givenFiles struct {
	translate.Files
	withheld func(translate.Document) string
}

// Open implements translate.Files.
func (g givenFiles) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	p, err := workshop.ParseStrict(name)
	if err != nil {
		return nil, err
	}
	if why := g.withheld(translate.Document{Path: string(p)}); why != "" {
		return nil, workshop.Faultf(workshop.Invalid, "%s cannot be used, since it is not given to models: %s", p, why)
	}
	return g.Files.Open(ctx, name)
}
