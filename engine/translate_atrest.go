package engine

import (
	"context"
	"slices"

	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/translate"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/translator"
)

// jobAtRest is what is needed to read and correct the translations of a job.
type jobAtRest struct {
	job              TranslateJob
	params           TranslateStartParams
	opt              translate.Options
	names, languages []string // of the translations
	notes            []string
	memory           *memory.Memory // nil: none was opened
}

func (j *jobAtRest) close() {
	if j.memory != nil {
		j.memory.Close()
	}
}

// openMemory opens the translation memory of the workbench.
func (j *jobAtRest) openMemory(ctx context.Context, wb *openWorkbench) (err error) {
	j.memory, err = memory.Open(ctx, memoryOf(wb.Workbench))
	j.opt.Memory = j.memory
	return err
}

// namedEngine stands for the engine of a job that only is named.
type namedEngine struct {
	translator.None
	name string
}

func (n namedEngine) Name() string { return n.name }

// atRest prepares a job for reading and, with its terms, for correcting.
func (e *Engine) atRest(ctx context.Context, wb *openWorkbench, id string, withTerms bool) (*jobAtRest, error) {
	job, err := e.translateJob(wb, id)
	if err != nil {
		return nil, err
	}
	j := &jobAtRest{job: job}
	if p := readTranslateParams(wb, id); p != nil {
		j.params = *p
	} else {
		j.params = TranslateStartParams{WorkbenchID: wb.ID(), To: job.To, InPlace: job.InPlace, Folder: job.Folder}
	}
	at, err := e.translateIn(ctx, wb, j.params, false)
	if err != nil {
		return nil, err
	}
	w := &translateWork{engine: e, params: j.params, at: at}
	if !withTerms {
		w.params.Glossary, w.params.DoNotTranslate = "", nil
	}
	if err := w.readTerms(ctx); err != nil {
		j.notes = append(j.notes, "terms are not checked: "+err.Error())
		w.opt.Glossary, w.opt.Protected = nil, nil
	}
	j.opt = translate.Options{From: j.params.From, To: j.params.To, Documents: at.documents, Ledger: at.ledger, Formats: e.formats, Glossary: w.opt.Glossary, Protected: w.opt.Protected, Engine: namedEngine{name: job.Engine}}
	if job.Engine == (translator.Pseudo{}).Name() {
		j.opt.Engine = translator.Pseudo{}
	}
	return j, e.listOutputs(ctx, wb, j)
}

// listOutputs names the translations of a job: those that its report has, else those
// that it makes.
func (e *Engine) listOutputs(ctx context.Context, wb *openWorkbench, j *jobAtRest) error {
	files, err := readTranslateFiles(wb, j.job.JobID)
	if err != nil {
		return err
	}
	if j.job.Status != translateRunning && len(files) > 0 {
		for _, f := range files {
			if f.Output != "" {
				j.names, j.languages = append(j.names, f.Output), append(j.languages, f.Language)
			}
		}
		return nil
	}
	list, err := translate.Outputs(ctx, j.opt.Documents, j.params.To)
	for _, o := range list {
		j.names, j.languages = append(j.names, o.Name), append(j.languages, o.Language)
	}
	return err
}

// segments opens the ledger for reading, with the job's documents.
func (j *jobAtRest) segments(ctx context.Context, only string) (*translate.Segments, []translate.Record, error) {
	s, err := translate.OpenSegments(j.opt.Ledger)
	if err != nil {
		return nil, nil, err
	}
	list, err := s.Documents(ctx, j.names, j.languages)
	if err == nil && only != "" {
		list, err = oneDocument(list, j.names, only)
	}
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, list, nil
}

func oneDocument(list []translate.Record, names []string, only string) ([]translate.Record, error) {
	p, err := tools.ParsePath(only)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list, func(r translate.Record) bool { return r.Output == string(p) }); i >= 0 {
		return list[i : i+1], nil
	}
	if slices.Contains(names, string(p)) {
		return nil, nil // not made yet, or replaced by another job
	}
	return nil, workshop.Unknownf("the job has no translation %s", only)
}
