package engine

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/translate"
)

// TranslateStartParams are the params of TranslateStart. The same params name
// the same job: one that was interrupted continues, one that is done does again
// what changed. Paths name files of the workbench, as its draft has them; what a
// job writes goes into the draft.
type TranslateStartParams struct {
	WorkbenchID    string   `json:"workbench_id"`
	Paths          []string `json:"paths,omitempty"` // files and folders; empty: every document
	To             []string `json:"to"`              // BCP 47, or English names
	From           string   `json:"from,omitempty"`
	Engine         string   `json:"engine,omitempty"`   // model, pseudo, apertium or none; default: the model
	Model          string   `json:"model,omitempty"`    // default: the workbench's
	InPlace        bool     `json:"in_place,omitempty"` // the translation takes the original's place in the draft; one language
	Folder         string   `json:"folder,omitempty"`   // else they go below it, a folder for each language; default "translated"
	Glossary       string   `json:"glossary,omitempty"` // a CSV or TBX file of the workbench
	Instructions   string   `json:"instructions,omitempty"`
	DoNotTranslate []string `json:"do_not_translate,omitempty"`
	SheetNames     bool     `json:"sheet_names,omitempty"`
	Masters        bool     `json:"masters,omitempty"`
	Force          bool     `json:"force,omitempty"` // do again what is done, and replace what is in the way
	// Budget bounds what this start may use; what it leaves out is as the engine
	// was set up. The job ends with the status budget_exceeded where it would use
	// more, and the same params with a larger one continue it.
	Budget *Budget `json:"budget,omitempty"`

	Strict    bool `json:"strict,omitempty"`    // refuse what is otherwise only flagged: terms, numbers, untranslated text
	Sentences bool `json:"sentences,omitempty"` // translate sentence by sentence
	DryRun    bool `json:"dry_run,omitempty"`   // count and estimate only: nothing is asked, no translation is written
	// TMX are files to read into the workbench's translation memory first; TMXOut
	// is a file *.tmx to write the memory to at the end.
	TMX    []string `json:"tmx,omitempty"`
	TMXOut string   `json:"tmx_out,omitempty"`
	// XLIFFIn is a folder of XLIFF documents that people have reviewed, or one
	// document; XLIFFOut is a folder for one XLIFF document a translation.
	XLIFFIn      string          `json:"xliff_in,omitempty"`
	XLIFFOut     string          `json:"xliff_out,omitempty"`
	XLIFFVersion string          `json:"xliff_version,omitempty"` // of what XLIFFOut gets: 2.1 (the default) or 1.2
	Reports      []string        `json:"reports,omitempty"`       // files to write reports to: *.html a page, *.json the data
	Price        *TranslatePrice `json:"price,omitempty"`         // default: the model's price in the settings
	Jobs         int             `json:"jobs,omitempty"`          // documents at once, at most 16; default 2
	Rate         int             `json:"rate,omitempty"`          // requests a minute at most; default: as the endpoint allows
	TokenRate    int             `json:"token_rate,omitempty"`    // tokens a minute at most
	// Cluster lets the workers of the cluster ask the model, with which the engine was
	// started (--cluster). Jobs is 16 by default then.
	Cluster bool `json:"cluster,omitempty"`
}

// TranslatePrice is a price for a translation, in money per million tokens.
type TranslatePrice struct {
	Input  float64 `json:"input"`  // tokens to the model
	Output float64 `json:"output"` // tokens from it
}

// TranslateStarted is the result of TranslateStart.
type TranslateStarted struct {
	JobID   string `json:"job_id"`
	Resumed bool   `json:"resumed,omitempty"` // the workbench knew the job
}

// TranslateRef names a translation job.
type TranslateRef struct {
	WorkbenchID string `json:"workbench_id"`
	JobID       string `json:"job_id"`
}

// TranslateStatusParams are the params of TranslateStatus.
type TranslateStatusParams struct {
	WorkbenchID string `json:"workbench_id"`
	JobID       string `json:"job_id"`
	Offset      int    `json:"offset,omitempty"` // of the files
	Limit       int    `json:"limit,omitempty"`  // of the files; default 100
}

// TranslateState is the status of a job.
type TranslateState string

// The statuses of a job.
const (
	translateRunning     TranslateState = "running"
	translateComplete    TranslateState = "complete" // see Failed and Flagged
	translateCanceled    TranslateState = "canceled"
	translateInterrupted TranslateState = "interrupted" // the engine ended; start it again to continue
	translateFailed      TranslateState = "failed"      // it could not be done at all: see Error
	translateOver        TranslateState = "budget_exceeded"
)

// TranslateJob is a job without its files.
type TranslateJob struct {
	JobID     string            `json:"job_id"`
	Status    TranslateState    `json:"status"`
	To        []string          `json:"to"`
	InPlace   bool              `json:"in_place,omitempty"`
	Folder    string            `json:"folder,omitempty"`
	Engine    string            `json:"engine"`
	StartedAt string            `json:"started_at"`
	EndedAt   string            `json:"ended_at,omitempty"`
	Files     int               `json:"files"` // documents × languages
	FilesDone int               `json:"files_done"`
	Failed    int               `json:"failed"`
	Flagged   int               `json:"flagged"`              // files that a person should look at
	Figures   translate.Figures `json:"figures"`              // when it has ended
	Error     string            `json:"error,omitempty"`      // of a complete job: a report, XLIFF or TMX file that could not be written
	ErrorCode string            `json:"error_code,omitempty"` // of Error: BUDGET_EXCEEDED

	DryRun       bool   `json:"dry_run,omitempty"`
	Currency     string `json:"currency,omitempty"`     // of figures.cost
	Untranslated int    `json:"untranslated,omitempty"` // files written without a single translation
	XLIFF        int    `json:"xliff,omitempty"`        // XLIFF documents written below xliff_out
	ClusterJob   string `json:"cluster_job,omitempty"`  // its id in the cluster whose workers ask the model
	Queued       bool   `json:"queued,omitempty"`       // over atelier http: it waits for its turn, which note tells
	Note         string `json:"note,omitempty"`         // the last that a person should know, such as that there is no worker
}

// TranslateStatusResult is a job with its files, when it has ended.
type TranslateStatusResult struct {
	TranslateJob
	Results []translate.FileReport `json:"results"`
	HasMore bool                   `json:"has_more,omitempty"`
	// Params are those of TranslateStart, which continue the job.
	Params *TranslateStartParams `json:"params,omitempty"`
}

// TranslateListResult lists the jobs of a workbench, the newest first.
type TranslateListResult struct {
	Jobs []TranslateJob `json:"jobs"`
}

// TranslateProgress is sent as documents are translated.
type TranslateProgress struct {
	WorkbenchID string `json:"workbench_id"`
	JobID       string `json:"job_id"`
	Path        string `json:"path"` // the document at hand
	Language    string `json:"language"`
	Segments    int    `json:"segments"`         // of it
	Done        int    `json:"done"`             // of them
	Status      string `json:"status,omitempty"` // of the document, when it is done
	Files       int    `json:"files"`
	FilesDone   int    `json:"files_done"`
	Tokens      int    `json:"tokens,omitempty"` // of the job so far
	Note        string `json:"note,omitempty"`   // something that a person should know, such as that there is no worker; then no document is at hand
}

// TranslateCompleted is sent once, when a job has ended, however it did.
type TranslateCompleted struct {
	WorkbenchID string `json:"workbench_id"`
	TranslateJob
}

func translateMethods() []*Method {
	return []*Method{
		method("TranslateStart", "Translates documents of the workbench into its draft; answers at once, TranslateComplete says the end.", (*Engine).translateStart),
		method("TranslateStatus", "How far a translation job is, and what became of each file.", (*Engine).translateStatus),
		method("TranslateList", "Lists the translation jobs of a workbench, the newest first.", (*Engine).translateList),
		method("TranslateCancel", "Asks a translation job to stop; what is done is kept, and the same TranslateStart goes on.", (*Engine).translateCancel),
		method("TranslateOptions", "What can translate, which files can be translated, and what the translation memory has.", (*Engine).translateOptions),
		method("TranslateSegments", "The texts of a job with their translations, a window at a time; while it runs, of the documents that are written.", (*Engine).translateSegments),
		method("TranslateCorrect", "Stores a person's translations: in the documents of the draft, the translation memory and later runs of the job.", (*Engine).translateCorrect),
		method("TranslateReplace", "Finds text in the translations of a job and replaces it, as corrections of a person.", (*Engine).translateReplace),
		method("TranslateMatches", "What the translation memory has that is like a text, and the terms in it.", (*Engine).translateMatches),
		method("TranslateExport", "Writes the translations of a job as XLIFF, or the translation memory as TMX.", (*Engine).translateExport),
		method("TranslateImport", "Takes XLIFF that people corrected into the translations of a job, or TMX into the translation memory.", (*Engine).translateImport),
	}
}

func (e *Engine) translateStatus(ctx context.Context, p TranslateStatusParams) (TranslateStatusResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return TranslateStatusResult{}, err
	}
	defer done()
	if p.Offset < 0 || p.Limit < 0 {
		return TranslateStatusResult{}, validation("offset and limit cannot be negative")
	}
	job, err := e.translateJob(wb, p.JobID)
	if err != nil {
		return TranslateStatusResult{}, err
	}
	r := TranslateStatusResult{TranslateJob: job, Results: []translate.FileReport{}, Params: readTranslateParams(wb, p.JobID)}
	files, err := readTranslateFiles(wb, p.JobID)
	if err != nil || job.Status == translateRunning || p.Offset >= len(files) {
		return r, err
	}
	if p.Limit == 0 {
		p.Limit = 100
	}
	files = files[p.Offset:]
	r.HasMore = len(files) > p.Limit
	r.Results = files[:min(p.Limit, len(files))]
	return r, nil
}

func (e *Engine) translateList(ctx context.Context, p WorkbenchRef) (TranslateListResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return TranslateListResult{}, err
	}
	defer done()
	jobs, err := e.translateJobs(wb)
	return TranslateListResult{Jobs: orEmpty(jobs)}, err
}

func (e *Engine) translateCancel(ctx context.Context, p TranslateRef) (CancelRunResult, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return CancelRunResult{}, err
	}
	if _, err := e.translateJob(wb, p.JobID); err != nil {
		return CancelRunResult{}, err
	}
	e.mu.Lock()
	live := e.translations[p.JobID]
	e.mu.Unlock()
	if live == nil || live.wb.ID() != p.WorkbenchID {
		return CancelRunResult{}, nil
	}
	live.cancel(errTranslateCanceled)
	return CancelRunResult{CancelRequested: true}, nil
}

var errTranslateCanceled = workshop.Faultf(workshop.Internal, "canceled")
