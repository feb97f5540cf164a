package translate

import (
	"atelier/workshop/translate/check"
	"atelier/workshop/translate/translator"
)

// Progress is one step of a run.
type Progress struct {
	Input, Output string
	Language      string
	Segments      int    // in the document
	Done          int    // translated so far
	Status        Status // "" while at work

	Files, FilesDone int              // of the job: documents × languages
	Words            int              // of the source text of the documents that are done
	Usage            translator.Usage // of the job so far
}

// Status of a file at the end.
type Status string

// The statuses of D-10.
const (
	StatusOK      Status = "ok"
	StatusFlagged Status = "flagged" // written, but a person should look at the flags
	StatusSkipped Status = "skipped" // done by an earlier run and unchanged, or not given to models
	StatusFailed  Status = "failed"
	StatusPlanned Status = "planned" // counted only (Options.DryRun)
)

// Report is the outcome of a run (D-10).
type Report struct {
	Engine string       `json:"engine"`
	DryRun bool         `json:"dry_run,omitempty"`
	Files  []FileReport `json:"files"`
	Total  Figures      `json:"total"`

	// Why the run ended before all was translated, when it did: BUDGET_EXCEEDED.
	ErrorCode string `json:"error_code,omitempty"`
	Error     string `json:"error,omitempty"`
}

// Failed counts the files that failed.
func (r Report) Failed() int {
	n := 0
	for _, f := range r.Files {
		if f.Status == StatusFailed {
			n++
		}
	}
	return n
}

// Untranslated counts the documents that were written without a single
// translation although they have segments: all were left in the source language.
func (r Report) Untranslated() int {
	n := 0
	for _, f := range r.Files {
		if f.untranslated() {
			n++
		}
	}
	return n
}

// Flagged counts the documents with flags, also of earlier runs: those that a person
// should look at.
func (r Report) Flagged() int {
	n := 0
	for _, f := range r.Files {
		if f.FlagsTotal > 0 || f.EarlierFlags > 0 {
			n++
		}
	}
	return n
}

func (f FileReport) untranslated() bool {
	return (f.Status == StatusOK || f.Status == StatusFlagged) && f.Segments > 0 && f.Translated == 0
}

// Figures count a document in one language, or all of them.
type Figures struct {
	Segments    int `json:"segments"`
	Words       int `json:"words"`      // of the source text; a Chinese, Japanese or Thai letter counts as one
	Characters  int `json:"characters"` // of the source text, without tags
	Translated  int `json:"translated"` // segments, repetitions included
	Repetitions int `json:"repetitions"`
	Memory      int `json:"memory"`      // texts the translation memory filled
	Resumed     int `json:"resumed"`     // texts an earlier run of the job had translated
	Left        int `json:"left"`        // segments left in the source language
	FlagsTotal  int `json:"flags_total"` // of which at most a hundred a file are listed here
	AskWords    int `json:"ask_words,omitempty"`
	AskSegments int `json:"ask_segments,omitempty"` // texts that have to be asked for (dry run)

	EstimatedPrompt     int     `json:"estimated_prompt_tokens,omitempty"`
	EstimatedCompletion int     `json:"estimated_completion_tokens,omitempty"`
	Cost                float64 `json:"cost,omitempty"` // with Options.Price: of the tokens used or, in a dry run, estimated

	PromptTokens     int `json:"prompt_tokens,omitempty"`
	CachedTokens     int `json:"cached_tokens,omitempty"`
	WrittenTokens    int `json:"written_tokens,omitempty"`
	CompletionTokens int `json:"completion_tokens,omitempty"`
	ToolCalls        int `json:"tool_calls"`
	Turns            int `json:"turns"` // requests to a model
}

func (f *Figures) use(u translator.Usage, p Price) {
	f.Turns += u.Requests
	f.ToolCalls += u.ToolCalls
	f.PromptTokens += u.PromptTokens
	f.CachedTokens += u.CachedTokens
	f.WrittenTokens += u.WrittenTokens
	f.CompletionTokens += u.CompletionTokens
	f.Cost += p.Of(u.PromptTokens, u.CachedTokens, u.WrittenTokens, u.CompletionTokens)
}

func (f *Figures) add(g Figures) {
	f.Segments += g.Segments
	f.Words += g.Words
	f.Characters += g.Characters
	f.Translated += g.Translated
	f.Repetitions += g.Repetitions
	f.Memory += g.Memory
	f.Resumed += g.Resumed
	f.Left += g.Left
	f.FlagsTotal += g.FlagsTotal
	f.AskWords += g.AskWords
	f.AskSegments += g.AskSegments
	f.EstimatedPrompt += g.EstimatedPrompt
	f.EstimatedCompletion += g.EstimatedCompletion
	f.Cost += g.Cost
	f.PromptTokens += g.PromptTokens
	f.CachedTokens += g.CachedTokens
	f.WrittenTokens += g.WrittenTokens
	f.CompletionTokens += g.CompletionTokens
	f.ToolCalls += g.ToolCalls
	f.Turns += g.Turns
}

// FileReport is the outcome of one document in one language.
type FileReport struct {
	Input    string `json:"input"`
	Output   string `json:"output"`
	Language string `json:"language"`
	Status   Status `json:"status"`
	Figures
	Flags    []Flag   `json:"flags,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // of the file as a whole, such as a changed encoding
	Error    string   `json:"error,omitempty"`
	// EarlierFlags is of a skipped document: segments with flags in the copy that an
	// earlier run wrote and nobody has changed since.
	EarlierFlags int `json:"earlier_flags,omitempty"`
	// Retryable says of a document that failed that its content is not the reason: a
	// model or a file system is, and a later run may succeed.
	Retryable bool `json:"retryable,omitempty"`
}

// Flag is something a person should look at.
type Flag struct {
	Segment string     `json:"segment"`
	Place   string     `json:"place"`
	Code    check.Code `json:"code"`
	Source  string     `json:"source"`
	Target  string     `json:"target,omitempty"`
	Reason  string     `json:"reason"`
}

// mostFlags bounds the flags of one file in the report, so that memory stays
// flat in the number of documents; the ledger has all.
const mostFlags = 100

func (f *FileReport) flag(fl Flag) {
	f.FlagsTotal++
	if len(f.Flags) < mostFlags {
		f.Flags = append(f.Flags, fl)
	}
}
