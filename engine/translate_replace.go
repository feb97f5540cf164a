package engine

import (
	"context"
	"fmt"

	"atelier/workshop/translate"
	"atelier/workshop/translate/check"
)

// TranslateReplaceParams are the params of TranslateReplace.
type TranslateReplaceParams struct {
	WorkbenchID string         `json:"workbench_id"`
	JobID       string         `json:"job_id"`
	Find        string         `json:"find"`
	Replace     string         `json:"replace"`          // with regexp $1 is the first group
	Regexp      bool           `json:"regexp,omitempty"` // find is a regular expression (RE2)
	MatchCase   bool           `json:"match_case,omitempty"`
	WholeWords  bool           `json:"whole_words,omitempty"`
	Path        string         `json:"path,omitempty"` // only this translation; default all
	Text        string         `json:"text,omitempty"` // as in TranslateSegments
	Show        translate.Show `json:"show,omitempty"`
	Code        check.Code     `json:"code,omitempty"`
	Preview     bool           `json:"preview,omitempty"` // find only
}

// TranslateReplaceResult is the result of TranslateReplace.
type TranslateReplaceResult struct {
	TranslateCorrectResult
	Found   int  `json:"found"`              // segments that it changes, at most 10,000 in one call
	Matches int  `json:"matches"`            // places in them
	Across  int  `json:"across,omitempty"`   // segments where a tag is within the text that was looked for; they stay
	HasMore bool `json:"has_more,omitempty"` // there are more; call again
}

// findCorrections finds what a replacement changes.
func (j *jobAtRest) findCorrections(ctx context.Context, p TranslateReplaceParams) (translate.Replaced, error) {
	s, documents, err := j.segments(ctx, p.Path)
	if err != nil {
		return translate.Replaced{}, err
	}
	defer s.Close()
	return s.Find(ctx, documents, translate.Replacement{Find: p.Find, With: p.Replace, Regexp: p.Regexp, MatchCase: p.MatchCase, WholeWords: p.WholeWords, Filter: translate.Filter{Text: p.Text, Show: p.Show, Code: p.Code}})
}

func (e *Engine) translateReplace(ctx context.Context, p TranslateReplaceParams) (r TranslateReplaceResult, err error) {
	r.Segments = []TranslateSegment{}
	if p.Find == "" {
		return r, validation("find is required: the text to replace")
	}
	if p.Preview {
		wb, done, err := e.reader(ctx, p.WorkbenchID)
		if err != nil {
			return r, err
		}
		defer done()
		j, err := e.atRest(ctx, wb, p.JobID, false)
		if err != nil {
			return r, err
		}
		found, err := j.findCorrections(ctx, p)
		r.Segments = segmentsOf(found.Samples)
		r.tell(found)
		return r, err
	}
	j, ed, done, err := e.editor(ctx, p.WorkbenchID, p.JobID)
	if err != nil {
		return r, err
	}
	defer done()
	found, err := j.findCorrections(ctx, p)
	if err != nil {
		return r, err
	}
	r.TranslateCorrectResult, err = e.correct(ctx, p.WorkbenchID, j, ed, found.Fixes, false)
	r.tell(found)
	return r, err
}

func (r *TranslateReplaceResult) tell(f translate.Replaced) {
	r.Found, r.Matches, r.Across, r.HasMore = len(f.Fixes), f.Matches, f.Across, f.More
	if f.More {
		r.Notes = append(r.Notes, fmt.Sprintf("One call changes at most %d segments, and there are more: call again.", translate.MostReplaced))
	}
}
