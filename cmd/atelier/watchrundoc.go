package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"atelier/engine"
	"atelier/internal/folderwatch"
	"atelier/internal/regularfile"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/review"
)

// folderRun is the task with one document. Its place is a folder below --out/.atelier
// with a copy of the document, on which the model works in a draft. The place stays until
// the results are written, so that a run that was interrupted is continued.
type folderRun struct {
	w      *watchRun
	f      folderwatch.File
	budget *engine.Budget
	wb     *workshop.Workbench
	made   runMade
}

// runMade is what a run made of a document.
type runMade struct {
	answer  string
	changes []review.Change
	outputs []string // the files that were written, of the changes, the review and the answer
}

// runPlace identifies what a place is for.
type runPlace struct {
	Rel    string `json:"rel"`
	Hash   string `json:"hash"`
	Recipe string `json:"recipe"`
}

// key names the files of a document below --out/.atelier.
func (r *folderRun) key() string {
	sum := sha256.Sum256([]byte(r.f.Rel))
	return hex.EncodeToString(sum[:12])
}

func (r *folderRun) place() string { return filepath.Join(r.w.out, ".atelier", "runs", r.key()) }

// folder is the folder that the model works on.
func (r *folderRun) folder() string { return filepath.Join(r.place(), "documents") }

// do runs the model, or continues its run, and writes the results.
func (r *folderRun) do(ctx context.Context) error {
	if err := r.copyIn(ctx); err != nil {
		return err
	}
	var err error
	if r.wb, err = r.w.e.OpenFolder(ctx, r.folder()); err != nil {
		return err
	}
	if err := (consenter{}).run(ctx, r.w.e, r.wb.ID(), r.w.s.model); err != nil {
		return err
	}
	if err := r.ask(ctx); err != nil {
		return err
	}
	return r.deliver(ctx)
}

// copyIn copies the document to its place, unless it is there from an earlier start.
func (r *folderRun) copyIn(ctx context.Context) error {
	want := runPlace{r.f.Rel, r.f.Hash, r.w.id}
	about := filepath.Join(r.place(), "run.json")
	var have runPlace
	if b, err := os.ReadFile(about); err == nil && json.Unmarshal(b, &have) == nil && have == want {
		return nil
	}
	if err := r.clear(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(r.folder(), 0o700); err != nil {
		return err
	}
	in, err := regularfile.Open(r.f.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	hash := sha256.New()
	err = writeOut(filepath.Join(r.folder(), filepath.Base(r.f.Path)), forOwner, func(out io.Writer) error {
		_, err := io.Copy(io.MultiWriter(out, hash), in)
		return err
	})
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != r.f.Hash {
		return errors.New("it changed while it was read")
	}
	b, err := json.Marshal(want)
	if err != nil {
		return err
	}
	return writeOutBytes(about, forOwner, b)
}

// clear removes the place with what the data folder knows of it.
func (r *folderRun) clear(ctx context.Context) error {
	if _, err := os.Stat(r.folder()); err == nil {
		wb := r.wb
		if wb == nil {
			if wb, err = r.w.e.OpenFolder(ctx, r.folder()); err != nil {
				return err
			}
		}
		if _, err := engine.CallAs[engine.Empty](ctx, r.w.e, "WorkbenchDelete", engine.WorkbenchRef{WorkbenchID: wb.ID()}); err != nil {
			return err
		}
		r.wb = nil
	}
	return os.RemoveAll(r.place())
}

// sweep removes working copies of documents that are gone, and the records of results
// that are gone. Only one process watches for an output folder when it is called.
func (w *watchRun) sweep(ctx context.Context) (err error) {
	places, _ := filepath.Glob(filepath.Join(w.out, ".atelier", "runs", "*"))
	for _, place := range places {
		var p runPlace
		b, rerr := os.ReadFile(filepath.Join(place, "run.json"))
		if rerr == nil && json.Unmarshal(b, &p) == nil {
			if _, serr := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(p.Rel))); !errors.Is(serr, fs.ErrNotExist) {
				continue
			}
			r := folderRun{w: w, f: folderwatch.File{Rel: p.Rel}}
			if r.place() == place {
				err = errors.Join(err, r.clear(ctx))
			}
		}
	}
	records, _ := filepath.Glob(filepath.Join(w.out, ".atelier", "results", "*.json"))
	for _, record := range records {
		var known map[string][]string
		if b, rerr := os.ReadFile(record); rerr != nil || json.Unmarshal(b, &known) != nil {
			continue
		}
		there := false
		for to := range known {
			_, serr := os.Lstat(filepath.Join(w.out, to))
			there = there || !errors.Is(serr, fs.ErrNotExist)
		}
		if !there {
			err = errors.Join(err, os.Remove(record))
		}
	}
	return err
}

// ask has the model do the task, continues its run, or takes its answer from an earlier
// start.
func (r *folderRun) ask(ctx context.Context) error {
	e, ref := r.w.e, engine.WorkbenchRef{WorkbenchID: r.wb.ID()}
	conv, err := engine.CallAs[engine.Conversation](ctx, e, "WorkshopGetConversation", ref)
	if err != nil {
		return err
	}
	flags := r.w.f // task sets the workflow of a run that is continued
	flags.resume = agent.LastRequest(conv.Messages) != ""
	if flags.resume {
		if answer, ok := agent.Answered(conv.Messages, agent.LastRequest(conv.Messages)); ok {
			r.made.answer = answer.Text
			return nil
		}
	}
	text := fmt.Sprintf("%s\n\nThe document is %q, the only file of the folder.", r.w.task, filepath.Base(r.f.Path))
	message, err := flags.task(ctx, e, ref.WorkbenchID, []string{text}, nil)
	if err != nil {
		return err
	}
	before := r.used(ctx)
	_, err = engine.CallAs[engine.RunAgentResult](ctx, e, "WorkshopRunAgent", engine.RunAgentParams{WorkbenchID: ref.WorkbenchID, MessageID: message, ModelID: r.w.s.model,
		Catalogue: flags.catalogue, Headless: true, Workflow: flags.workflow, Budget: r.budget, AllowTools: flags.allowTools})
	after := r.used(context.WithoutCancel(ctx))
	r.w.mu.Lock()
	r.w.tokens += after.tokens - before.tokens
	r.w.cost += after.cost - before.cost
	r.w.mu.Unlock()
	if err != nil {
		return err
	}
	if conv, err = engine.CallAs[engine.Conversation](ctx, e, "WorkshopGetConversation", ref); err != nil {
		return err
	}
	answer, _ := agent.Answered(conv.Messages, message)
	r.made.answer = answer.Text
	return nil
}

// used is what the runs of the document took so far.
func (r *folderRun) used(ctx context.Context) (b struct {
	tokens int64
	cost   float64
}) {
	got, err := engine.CallAs[engine.UsageResult](ctx, r.w.e, "WorkbenchGetUsage", engine.UsageParams{WorkbenchID: r.wb.ID()})
	if err != nil {
		return b
	}
	b.tokens = got.Totals.InputTokens + got.Totals.OutputTokens
	for _, c := range got.Totals.Costs {
		b.cost += c.Amount
	}
	return b
}

// deliver writes the results below --out.
func (r *folderRun) deliver(ctx context.Context) error {
	set, err := engine.CallAs[engine.ChangeSetResult](ctx, r.w.e, "ReviewGetChangeSet", engine.WorkbenchRef{WorkbenchID: r.wb.ID()})
	if err != nil {
		return err
	}
	r.made.changes = set.Changes
	rel := filepath.FromSlash(r.f.Rel)
	d := delivery{out: r.w.out, record: filepath.Join(r.w.out, ".atelier", "results", r.key()+".json"), stage: filepath.Join(r.place(), "results")}
	if err := d.begin(); err != nil {
		return err
	}
	for _, c := range set.Changes {
		if c.FileKind == review.KindFolder || c.ChangeType == "deleted" {
			continue
		}
		to := filepath.Join(rel+".files", filepath.FromSlash(c.Path))
		if base := filepath.Base(rel); c.Path == base || c.From == base {
			to = filepath.Join(filepath.Dir(rel), filepath.FromSlash(c.Path))
		}
		if err := d.add(to, func(staged string) error { return r.write(ctx, c.Path, staged) }); err != nil {
			return err
		}
	}
	if len(set.Changes) > 0 {
		err := d.add(rel+".review.html", func(staged string) error {
			return reviewHTML(ctx, r.w.e, r.wb, io.Discard, htmlOptions{File: staged})
		})
		if err != nil {
			return err
		}
	}
	if text := strings.TrimSpace(r.made.answer); text != "" {
		if err := d.add(rel+".answer.md", func(staged string) error { return writeOutBytes(staged, forAll, []byte(text+"\n")) }); err != nil {
			return err
		}
	}
	r.made.outputs, err = d.finish()
	return err
}

// write writes a file of the draft.
func (r *folderRun) write(ctx context.Context, path, to string) error {
	src, err := r.wb.OpenVersion(ctx, workshop.Path(path), "draft")
	if err != nil {
		return err
	}
	defer src.Close()
	return writeOut(to, forAll, func(out io.Writer) error {
		_, err := io.Copy(out, io.NewSectionReader(src, 0, src.Size()))
		return err
	})
}
