package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"atelier/workshop"
	"atelier/workshop/translate"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/translator"
)

// TranslateEngine is one of what can translate.
type TranslateEngine struct {
	Engine    string          `json:"engine"`
	Available bool            `json:"available"`
	Why       string          `json:"why,omitempty"` // it is not available
	Pairs     []TranslatePair `json:"pairs,omitempty"`
}

// TranslatePair is a direction that a program translates.
type TranslatePair struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// TranslateFile is a file of the workbench that could be translated.
type TranslateFile struct {
	Path      string `json:"path"`
	Size      int64  `json:"size"`
	FileKind  string `json:"file_kind"`
	InDraft   bool   `json:"in_draft,omitempty"`
	Can       bool   `json:"can"`                  // it can be translated
	OnlyNamed bool   `json:"only_named,omitempty"` // it is left out unless paths names it: code, data
	Why       string `json:"why,omitempty"`        // it cannot be translated
}

// TranslateMemory counts the entries of the memory for a pair of languages.
type TranslateMemory struct {
	From     string `json:"from"` // "": unknown
	To       string `json:"to"`
	Person   int    `json:"person"`
	Imported int    `json:"imported"`
	Machine  int    `json:"machine"`
}

// TranslateOptionsResult is the result of TranslateOptions.
type TranslateOptionsResult struct {
	Engines []TranslateEngine `json:"engines"`
	Files   []TranslateFile   `json:"files"`
	Memory  []TranslateMemory `json:"memory"`
}

func (e *Engine) translateOptions(ctx context.Context, p WorkbenchRef) (r TranslateOptionsResult, err error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return r, err
	}
	defer done()
	r = TranslateOptionsResult{Engines: translateEngines(ctx), Files: []TranslateFile{}, Memory: []TranslateMemory{}}
	entries, err := wb.DraftView(workshop.Cause{}).List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return r, err
	}
	for _, en := range entries {
		if en.IsDir || en.Virtual {
			continue
		}
		f := TranslateFile{Path: string(en.Path), Size: en.Size, FileKind: string(en.Kind), InDraft: en.InDraft, Why: en.Refused}
		if f.Why == "" {
			f.OnlyNamed, f.Why = translate.Able(e.formats, en)
		}
		f.Can = f.Why == ""
		r.Files = append(r.Files, f)
	}
	r.Memory, err = memoryCounts(ctx, wb)
	return r, err
}

// translateEngines lists what can translate beside models.
func translateEngines(ctx context.Context) []TranslateEngine {
	out := []TranslateEngine{{Engine: "model", Available: true}, {Engine: "pseudo", Available: true}}
	a, err := translator.NewApertium(ctx)
	if err != nil {
		return append(out, TranslateEngine{Engine: "apertium", Why: err.Error()}, TranslateEngine{Engine: "none", Available: true})
	}
	defer a.Close()
	one := TranslateEngine{Engine: "apertium", Available: true}
	for _, p := range a.Pairs() {
		one.Pairs = append(one.Pairs, TranslatePair{p[0], p[1]})
	}
	return append(out, one, TranslateEngine{Engine: "none", Available: true})
}

// memoryCounts counts what the workbench's translation memory has.
func memoryCounts(ctx context.Context, wb *openWorkbench) ([]TranslateMemory, error) {
	out := []TranslateMemory{}
	path := memoryOf(wb.Workbench)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	m, err := memory.Open(ctx, path)
	if err != nil {
		return out, err
	}
	defer m.Close()
	counts, err := m.Info(ctx)
	for _, c := range counts {
		out = append(out, TranslateMemory{c.From, c.To, c.Person, c.Imported, c.Machine})
	}
	return out, err
}
