package engine

import (
	"context"
	"fmt"
	"slices"

	"atelier/workshop"
	"atelier/workshop/translate"
	"atelier/workshop/translate/check"
)

// TranslateSegmentsParams are the params of TranslateSegments.
type TranslateSegmentsParams struct {
	WorkbenchID string         `json:"workbench_id"`
	JobID       string         `json:"job_id"`
	Path        string         `json:"path,omitempty"` // a translation of the job; default: all
	Text        string         `json:"text,omitempty"` // in the source or the translation, in any case
	Show        translate.Show `json:"show,omitempty"` // default: all segments
	Code        check.Code     `json:"code,omitempty"` // only with a remark of this kind
	Offset      int            `json:"offset,omitempty"`
	Limit       int            `json:"limit,omitempty"`  // at most 500; default 100
	Counts      bool           `json:"counts,omitempty"` // count the segments of each document too
}

// TranslateSegment is one text of a document with its translation.
type TranslateSegment struct {
	Path      string            `json:"path"` // the translation, by its place in the draft
	Input     string            `json:"input"`
	Language  string            `json:"language"`
	Segment   string            `json:"segment"` // its id in the document
	Place     string            `json:"place"`
	Part      string            `json:"part,omitempty"`
	Notes     []string          `json:"notes,omitempty"`
	MaxLength int               `json:"max_length,omitempty"` // of the translation, in UTF-16 units
	Source    string            `json:"source"`               // with tags: <1>…</1> and <2/>, & and < as &amp; and &lt;
	Target    string            `json:"target,omitempty"`
	State     translate.State   `json:"state"`
	Origin    translate.Origin  `json:"origin,omitempty"`
	Remarks   []TranslateRemark `json:"remarks,omitempty"`
}

// TranslateRemark is what a check says of a translation.
type TranslateRemark struct {
	Code    check.Code `json:"code"`
	Message string     `json:"message"`
}

// TranslateDocument counts the segments of a translation.
type TranslateDocument struct {
	Path      string `json:"path"`
	Input     string `json:"input"`
	Language  string `json:"language"`
	Segments  int    `json:"segments"`
	Left      int    `json:"left"`                // in the source language
	Open      int    `json:"open"`                // left, or with remarks and not confirmed
	Confirmed int    `json:"confirmed"`           // written or confirmed by a person
	Unwritten bool   `json:"unwritten,omitempty"` // the program ended before it wrote the document; TranslateCorrect without corrections writes it
}

// TranslateSegmentsResult is the result of TranslateSegments.
type TranslateSegmentsResult struct {
	Segments  []TranslateSegment  `json:"segments"`
	Total     int                 `json:"total"` // segments that were selected, of which this is a part
	Documents []TranslateDocument `json:"documents,omitempty"`
}

// TranslateCorrectParams are the params of TranslateCorrect.
type TranslateCorrectParams struct {
	WorkbenchID string                 `json:"workbench_id"`
	JobID       string                 `json:"job_id"`
	Corrections []translate.Correction `json:"corrections,omitempty"`
	Equal       bool                   `json:"equal,omitempty"` // also segments of the same text that nobody has confirmed
}

// TranslateRefusal is a correction that was not used.
type TranslateRefusal struct {
	translate.Correction
	Place  string     `json:"place,omitempty"`
	Code   check.Code `json:"code,omitempty"`
	Reason string     `json:"reason"`
}

// TranslateCorrectResult is the result of TranslateCorrect.
type TranslateCorrectResult struct {
	Segments  []TranslateSegment `json:"segments"` // as they are now, at most 500
	Corrected int                `json:"corrected"`
	Refused   []TranslateRefusal `json:"refused,omitempty"` // at most 500
	Written   []string           `json:"written,omitempty"` // documents that were made again
	Notes     []string           `json:"notes,omitempty"`
}

// TranslateSegmentsChanged says that a person corrected segments of a job.
type TranslateSegmentsChanged struct {
	WorkbenchID string   `json:"workbench_id"`
	JobID       string   `json:"job_id"`
	Paths       []string `json:"paths"` // the translations they are in
	Corrected   int      `json:"corrected"`
}

// maxCorrections bounds one call.
const maxCorrections = 10_000

func (e *Engine) translateSegments(ctx context.Context, p TranslateSegmentsParams) (r TranslateSegmentsResult, err error) {
	r.Segments = []TranslateSegment{}
	switch {
	case p.Offset < 0 || p.Limit < 0 || p.Limit > translate.MostRows:
		return r, validation(fmt.Sprintf("offset cannot be negative, and limit must be from 1 to %d", translate.MostRows))
	case p.Show != translate.ShowAll && !slices.Contains(translate.Shows, p.Show):
		return r, validation(fmt.Sprintf("show must be one of %v", translate.Shows))
	}
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return r, err
	}
	defer done()
	j, err := e.atRest(ctx, wb, p.JobID, false)
	if err != nil {
		return r, err
	}
	s, documents, err := j.segments(ctx, p.Path)
	if err != nil {
		return r, err
	}
	defer s.Close()
	if p.Limit == 0 {
		p.Limit = 100
	}
	rows, total, err := s.Window(ctx, documents, translate.Filter{Text: p.Text, Show: p.Show, Code: p.Code}, p.Offset, p.Limit)
	if err != nil {
		return r, err
	}
	r.Segments, r.Total = segmentsOf(rows), total
	if p.Counts {
		r.Documents, err = countsOf(ctx, s, documents, j.job.Status == translateRunning)
	}
	return r, err
}

func countsOf(ctx context.Context, s *translate.Segments, documents []translate.Record, running bool) ([]TranslateDocument, error) {
	counts, err := s.Counts(ctx, documents)
	var out []TranslateDocument
	for _, c := range counts {
		out = append(out, TranslateDocument{Path: c.Output, Input: c.Input, Language: c.Language, Segments: c.Segments, Left: c.Left, Open: c.Open, Confirmed: c.Confirmed, Unwritten: c.Unwritten && !running})
	}
	return out, err
}

func segmentsOf(rows []translate.SegmentRow) []TranslateSegment {
	out := make([]TranslateSegment, len(rows))
	for i, r := range rows {
		out[i] = TranslateSegment{Path: r.Document, Input: r.Input, Language: r.Language, Segment: r.ID, Place: r.Place, Part: r.Part, Notes: r.Notes, MaxLength: r.MaxLength,
			Source: r.Text, State: r.State, Origin: r.Origin}
		for _, f := range r.Flags {
			out[i].Remarks = append(out[i].Remarks, TranslateRemark{f.Code, f.Message})
		}
		if r.State == translate.StateTranslated {
			out[i].Target = r.Target
		}
	}
	return out
}

// editor takes the workbench for corrections of a job. Corrections of several
// clients wait for each other; a run or a job in progress refuses them.
func (e *Engine) editor(ctx context.Context, workbenchID, id string) (*jobAtRest, *translate.Editor, func(), error) {
	wb, err := e.workbench(ctx, workbenchID)
	if err != nil {
		return nil, nil, nil, err
	}
	if wb.ReadOnly() {
		return nil, nil, nil, validation("the workbench is open for reading only")
	}
	if _, err := e.translateJob(wb, id); err != nil {
		return nil, nil, nil, err
	}
	wb.correcting.Lock()
	end, err := e.hold(wb, workshop.ActTranslation, nil)
	if err != nil {
		wb.correcting.Unlock()
		return nil, nil, nil, err
	}
	leave := func() { end(nil); wb.correcting.Unlock() }
	j, err := e.atRest(ctx, wb, id, true)
	if err == nil {
		err = j.openMemory(ctx, wb)
	}
	if err != nil {
		leave()
		return nil, nil, nil, err
	}
	ed, err := translate.OpenEditor(ctx, j.opt, j.names, j.languages)
	if err != nil {
		j.close()
		leave()
		return nil, nil, nil, err
	}
	return j, ed, func() { ed.Close(); j.close(); leave() }, nil
}

func (e *Engine) translateCorrect(ctx context.Context, p TranslateCorrectParams) (TranslateCorrectResult, error) {
	if len(p.Corrections) > maxCorrections {
		return TranslateCorrectResult{}, validation(fmt.Sprintf("at most %d corrections can come in one call", maxCorrections))
	}
	j, ed, done, err := e.editor(ctx, p.WorkbenchID, p.JobID)
	if err != nil {
		return TranslateCorrectResult{}, err
	}
	defer done()
	return e.correct(ctx, p.WorkbenchID, j, ed, p.Corrections, p.Equal)
}

// correct stores corrections and tells other clients.
func (e *Engine) correct(ctx context.Context, workbenchID string, j *jobAtRest, ed *translate.Editor, fixes []translate.Correction, equal bool) (TranslateCorrectResult, error) {
	c, err := ed.Correct(ctx, fixes, equal)
	r := TranslateCorrectResult{Segments: segmentsOf(c.Rows), Corrected: c.Count, Refused: refusalsOf(c.Refused), Written: c.Written, Notes: j.notes}
	if c.Count > 0 || len(c.Written) > 0 {
		paths := slices.Clone(c.Written)
		for _, row := range c.Rows {
			if !slices.Contains(paths, row.Document) {
				paths = append(paths, row.Document)
			}
		}
		e.hub.Emit(Notification{Method: "TranslateSegmentsChanged", Params: TranslateSegmentsChanged{WorkbenchID: workbenchID, JobID: j.job.JobID, Paths: paths, Corrected: c.Count}})
	}
	return r, err
}

func refusalsOf(list []translate.Refusal) []TranslateRefusal {
	var out []TranslateRefusal
	for _, f := range list[:min(len(list), translate.MostRows)] {
		out = append(out, TranslateRefusal{Correction: f.Correction, Place: f.Place, Code: f.Code, Reason: f.Reason})
	}
	return out
}
