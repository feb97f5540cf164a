package engine

import (
	"context"
	"fmt"
	"slices"

	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/terms"
)

// TranslateMatchesParams are the params of TranslateMatches.
type TranslateMatchesParams struct {
	WorkbenchID string `json:"workbench_id"`
	JobID       string `json:"job_id"`
	Language    string `json:"language"` // of the translation
	Text        string `json:"text"`     // the source, with tags
}

// TranslateMatch is an entry of the translation memory that is like a text.
type TranslateMatch struct {
	Source  string        `json:"source"`
	Target  string        `json:"target"`
	Percent int           `json:"percent"` // 100: the same text
	Origin  memory.Origin `json:"origin"`
	Input   string        `json:"input,omitempty"` // the document it is of
	Changed string        `json:"changed"`
}

// TranslateTerm is a term of the glossary that a text has.
type TranslateTerm struct {
	Source    string `json:"source"`
	Target    string `json:"target"`
	Note      string `json:"note,omitempty"`
	Forbidden bool   `json:"forbidden,omitempty"` // Target must not be used
}

// TranslateMatchesResult is the result of TranslateMatches.
type TranslateMatchesResult struct {
	Matches []TranslateMatch `json:"matches"`
	Terms   []TranslateTerm  `json:"terms,omitempty"`
	Keep    []string         `json:"keep,omitempty"` // what must not be translated
}

func (e *Engine) translateMatches(ctx context.Context, p TranslateMatchesParams) (TranslateMatchesResult, error) {
	r := TranslateMatchesResult{Matches: []TranslateMatch{}}
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return r, err
	}
	defer done()
	j, err := e.atRest(ctx, wb, p.JobID, true)
	if err != nil {
		return r, err
	}
	if !slices.Contains(j.params.To, p.Language) {
		return r, validation(fmt.Sprintf("language must be one of the job: %v", j.params.To))
	}
	if len(p.Text) > memory.MaxText {
		return r, nil // the memory has no such text
	}
	if err := j.openMemory(ctx, wb); err != nil {
		return r, err
	}
	defer j.close()
	const most, least = 6, 0.5
	found, err := j.memory.Similar(ctx, memory.Pair{From: j.params.From, To: p.Language}, p.Text, most, least)
	for _, m := range found {
		r.Matches = append(r.Matches, TranslateMatch{Source: m.Source, Target: m.Target, Percent: int(100*m.Score + .5), Origin: m.Origin, Input: m.Document, Changed: rfc3339(m.Changed)})
	}
	r.Terms, r.Keep = termsOf(j.opt.Glossary.Between(p.Text, j.params.From, p.Language)), j.opt.Protected.In(p.Text)
	return r, err
}

func termsOf(list []terms.Term) []TranslateTerm {
	var out []TranslateTerm
	for _, t := range list {
		out = append(out, TranslateTerm{t.Source, t.Target, t.Note, t.Forbidden})
	}
	return out
}
