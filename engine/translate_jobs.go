package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/busyfile"
	"atelier/internal/lazyregexp"
	"atelier/workshop"
	"atelier/workshop/translate"
)

// What the jobs of a workbench leave is in its state, never among the
// user's files:
//
//	translate/job.db         the ledger of all of them
//	translate/memory.db      the translation memory
//	translate/ID.json        a translateRecord
//	translate/ID.files.json  its []translate.FileReport, once it has ended

func translateDir(wb *openWorkbench) string { return translate.StateDir(wb.Workbench) }

func ledgerOf(wb *workshop.Workbench) string { return filepath.Join(translate.StateDir(wb), "job.db") }

func memoryOf(wb *workshop.Workbench) string {
	return filepath.Join(translate.StateDir(wb), "memory.db")
}

// jobID names a job by what it is to do, not by how fast and by which machines it does
// that and how much it may use.
func jobID(p TranslateStartParams) string {
	p.Force, p.Budget, p.Jobs, p.Rate, p.TokenRate, p.Cluster = false, nil, 0, 0, 0, false
	b, _ := json.Marshal(p)
	h := sha256.Sum256(b)
	return "t-" + hex.EncodeToString(h[:8])
}

// TranslateJobID returns the id that TranslateStart gives the job of these params, whether
// it has begun or not.
func TranslateJobID(p TranslateStartParams) (string, error) {
	if err := checkTranslate(&p); err != nil {
		return "", err
	}
	return jobID(p), nil
}

var jobIDForm = lazyregexp.New(`^t-[0-9a-f]{16}$`)

// translateJob reads a job; one that runs is asked, one that isn't running any
// more, in any process, though its record says so was interrupted.
func (e *Engine) translateJob(wb *openWorkbench, id string) (TranslateJob, error) {
	if !jobIDForm.MatchString(id) {
		return TranslateJob{}, workshop.Unknownf("there is no translation job %q", id)
	}
	e.mu.Lock()
	live := e.translations[id]
	e.mu.Unlock()
	if live != nil && live.wb.ID() == wb.ID() {
		return live.state(), nil
	}
	var job TranslateJob
	record := filepath.Join(translateDir(wb), id+".json")
	if err := readJSON(record, &job); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = workshop.Unknownf("there is no translation job %q", id)
		}
		return TranslateJob{}, err
	}
	if job.Status == translateRunning && !e.runsElsewhere(wb, record) {
		job.Status = translateInterrupted
	}
	return job, nil
}

// runsElsewhere reports whether another process is at work on the job with this
// record. It writes the record after the file that names its activity, so an
// older record is that of a job that was interrupted before.
func (e *Engine) runsElsewhere(wb *openWorkbench, record string) bool {
	if !wb.ReadOnly() {
		return false
	}
	who, held, err := e.home.Holder(wb.ID())
	if err != nil || !held || who.Activity != workshop.ActTranslation {
		return false
	}
	st, err := os.Stat(record)
	return err == nil && !st.ModTime().Before(who.Since)
}

func (e *Engine) translateJobs(wb *openWorkbench) ([]TranslateJob, error) {
	entries, err := os.ReadDir(translateDir(wb))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var jobs []TranslateJob
	for _, d := range entries {
		id, ok := strings.CutSuffix(d.Name(), ".json")
		if !ok || !jobIDForm.MatchString(id) {
			continue
		}
		job, err := e.translateJob(wb, id)
		if err != nil {
			e.log.Warn("a translation job's record cannot be read", "job", id, "err", err)
			continue
		}
		jobs = append(jobs, job)
	}
	slices.SortStableFunc(jobs, func(a, b TranslateJob) int { return strings.Compare(b.StartedAt, a.StartedAt) })
	return jobs, nil
}

func readTranslateFiles(wb *openWorkbench, id string) ([]translate.FileReport, error) {
	var files []translate.FileReport
	err := readJSON(filepath.Join(translateDir(wb), id+".files.json"), &files)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return files, err
}

// translateRecord is what is stored of a job.
type translateRecord struct {
	TranslateJob
	Params TranslateStartParams `json:"params"`
}

// readTranslateParams returns the params of a job, nil for one of a release that did
// not store them.
func readTranslateParams(wb *openWorkbench, id string) *TranslateStartParams {
	var r translateRecord
	if err := readJSON(filepath.Join(translateDir(wb), id+".json"), &r); err != nil || len(r.Params.To) == 0 {
		return nil
	}
	return &r.Params
}

func readJSON(path string, into any) error {
	b, err := busyfile.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// writeJSON replaces a record whole.
func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".tmp", b, 0o600); err != nil {
		return err
	}
	return busyfile.Rename(path+".tmp", path)
}

// interruptTranslations ends the jobs at work and waits for them.
func (e *Engine) interruptTranslations() {
	e.mu.Lock()
	e.closing = true
	for _, t := range e.translations {
		t.cancel(context.Canceled)
	}
	e.mu.Unlock()
	e.translating.Wait()
}
