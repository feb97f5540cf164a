package crashtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/workshop"
)

// check opens the workbench that a killed child left, as the next process
// would, and compares it with the model, which is then updated.
func (r *runner) check(ctx context.Context, flying *op, after *state) error {
	h, err := workshop.OpenHome(r.home, workshop.Options{})
	if err != nil {
		return err
	}
	defer h.Close()
	wb, err := h.OpenFolder(ctx, r.dir)
	if err != nil {
		return fmt.Errorf("what was left cannot be opened: %w", err)
	}
	r.report.repaired(wb.Recovered())
	found, err := r.look(ctx, wb)
	if err != nil {
		return err
	}
	if err := r.settle(ctx, wb, found, flying, after); err != nil {
		return err
	}
	if err := r.checkRestore(ctx, wb); err != nil {
		return err
	}
	if err := verified(ctx, wb); err != nil {
		return err
	}
	return r.leftovers(wb)
}

// found is the observed state of a workbench.
type found struct {
	disk, draft tree
	said        []string
	checkpoints []string
	hasDraft    bool
	folders     bool // the draft makes or removes folders
}

func (r *runner) look(ctx context.Context, wb *workshop.Workbench) (found, error) {
	var f found
	var err error
	if f.disk, err = r.published(); err != nil {
		return f, err
	}
	if f.draft, err = listed(ctx, wb.DraftView(workshop.Cause{})); err != nil {
		return f, err
	}
	seen, err := listed(ctx, wb.Published())
	if err != nil {
		return f, err
	}
	for p := range r.mine {
		if seen[p] == "" || f.draft[p] != seen[p] {
			return f, fmt.Errorf("%s, which is the user's own, is not listed", p)
		}
		delete(seen, p)
		delete(f.draft, p)
	}
	if !maps.Equal(seen, f.disk) {
		return f, fmt.Errorf("the view of the published files differs from the disk: %v, %v", seen, f.disk)
	}
	st, err := wb.Draft(ctx)
	if err != nil {
		return f, err
	}
	f.hasDraft = st.HasDraft
	if st.HasDraft { // folders that a removed file leaves in the draft keep it open
		entries, err := wb.DraftView(workshop.Cause{}).List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
		if err != nil {
			return f, err
		}
		f.folders = slices.ContainsFunc(entries, func(e workshop.Entry) bool { return e.IsDir && e.InDraft })
		changes, err := wb.Changes(ctx)
		if err != nil {
			return f, err
		}
		f.folders = f.folders || slices.ContainsFunc(changes, func(c workshop.Change) bool { return c.IsDir })
	}
	records, err := wb.Conversation().Records()
	if err != nil {
		return f, err
	}
	for _, rec := range records {
		f.said = append(f.said, rec.MessageID)
	}
	cps, err := wb.Checkpoints(ctx)
	for _, c := range cps {
		f.checkpoints = append(f.checkpoints, c.ID)
	}
	slices.Sort(f.checkpoints)
	return f, err
}

func listed(ctx context.Context, v workshop.View) (tree, error) {
	entries, err := v.List(ctx, "", workshop.ListOptions{Recursive: true})
	t := tree{}
	for _, e := range entries {
		if !e.IsDir {
			t[string(e.Path)] = e.Hash
		}
	}
	return t, err
}

// published reads the root like any other program.
func (r *runner) published() (tree, error) {
	t := tree{}
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(r.dir, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t[filepath.ToSlash(rel)] = hashOf(string(b))
		return nil
	})
	for p, h := range r.mine {
		if err == nil && t[p] != h {
			err = fmt.Errorf("%s, which is the user's own, was changed (K-10)", p)
		}
		delete(t, p)
	}
	return t, err
}

// settle determines whether the operation in flight happened. There is no
// third possibility.
func (r *runner) settle(ctx context.Context, wb *workshop.Workbench, f found, flying *op, after *state) error {
	if flying == nil {
		return r.model.differs(f)
	}
	before := r.model.differs(f)
	if flying.Kind == opTool { // the content that it would have written is known only now
		h := f.draft[flying.Path]
		after.rows[flying.Path] = &h
	}
	if before == nil && flying.Kind != opGC {
		r.report.Before++
		return nil
	}
	made, err := newCheckpoint(r.model, f)
	if err != nil {
		return err
	}
	if made != "" && flying.keeps() {
		after.restores[made] = r.model.disk
	}
	if flying.Kind == opForget {
		after.forget(f.checkpoints)
	}
	if err := after.differs(f); err != nil {
		return fmt.Errorf("%s was in flight; it is neither as before (%w) nor as after (%w)", *flying, before, err)
	}
	if flying.Kind == opTool {
		if err := holds(ctx, wb, flying.Path, flying.Text); err != nil {
			return err
		}
	}
	r.report.After++
	r.model = after
	return nil
}

// newCheckpoint returns the checkpoint that the model does not know.
func newCheckpoint(m *state, f found) (string, error) {
	made := ""
	for _, id := range f.checkpoints {
		if _, known := m.restores[id]; known {
			continue
		}
		if made != "" {
			return "", fmt.Errorf("two checkpoints came from one operation: %s and %s", made, id)
		}
		made = id
	}
	return made, nil
}

// differs describes how a workbench differs from a state; nil if it does not.
func (s *state) differs(f found) error {
	switch {
	case !maps.Equal(s.disk, f.disk):
		return fmt.Errorf("published %v, expected %v", short(f.disk), short(s.disk))
	case !maps.Equal(s.draft(), f.draft):
		return fmt.Errorf("draft %v, expected %v", short(f.draft), short(s.draft()))
	case f.hasDraft != (len(s.rows) > 0) && !f.folders:
		return fmt.Errorf("draft open: %v, expected %d rows", f.hasDraft, len(s.rows))
	case !slices.Equal(s.said, f.said):
		return fmt.Errorf("conversation %v, expected %v", f.said, s.said)
	case !slices.Equal(keys(s.restores), f.checkpoints):
		return fmt.Errorf("checkpoints %v, expected %v", f.checkpoints, keys(s.restores))
	}
	return nil
}

func short(t tree) tree {
	out := tree{}
	for p, h := range t {
		out[p] = h[:min(6, len(h))]
	}
	return out
}

// holds checks that an office file opens and contains the written text.
func holds(ctx context.Context, wb *workshop.Workbench, p, text string) error {
	src, err := wb.DraftView(workshop.Cause{}).Open(ctx, workshop.Path(p))
	if err != nil {
		return err
	}
	defer src.Close()
	f, err := all.Formats(all.Options{}).Detect(ctx, src)
	if err != nil {
		return err
	}
	t, err := f.Reader.Read(ctx, src, formats.Selector{})
	if err == nil && !strings.Contains(t.Text, text) {
		err = fmt.Errorf("%s does not say %q but %q", p, text, t.Text)
	}
	return err
}

// checkRestore compares what one checkpoint would restore with the model
// (K-05).
func (r *runner) checkRestore(ctx context.Context, wb *workshop.Workbench) error {
	if len(r.model.restores) == 0 {
		return nil
	}
	id := pick(r, keys(r.model.restores))
	plan, err := wb.RestorePlan(ctx, id)
	if err != nil {
		return err
	}
	got := maps.Clone(r.model.disk)
	for _, c := range plan {
		if c.NewHash == "" {
			delete(got, string(c.Path))
		} else {
			got[string(c.Path)] = c.NewHash
		}
	}
	if !maps.Equal(got, r.model.restores[id]) {
		return fmt.Errorf("checkpoint %s restores %v, expected %v", id, short(got), short(r.model.restores[id]))
	}
	return nil
}

// verified checks the database and every object that it refers to.
func verified(ctx context.Context, wb *workshop.Workbench) error {
	v, err := wb.Verify(ctx)
	if err == nil && len(v.Problems) > 0 {
		err = fmt.Errorf("%s", strings.Join(v.Problems, "; "))
	}
	return err
}

// leftovers searches for temporary files and partial records.
func (r *runner) leftovers(wb *workshop.Workbench) error {
	for _, dir := range []string{r.dir, r.home} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && (strings.HasPrefix(d.Name(), ".atelier-tmp-") || strings.HasPrefix(d.Name(), "tmp-") || strings.HasPrefix(d.Name(), "trash-")) {
				err = fmt.Errorf("a temporary file is left: %s", path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	b, err := os.ReadFile(filepath.Join(wb.Dir(), "conversation.jsonl"))
	if os.IsNotExist(err) && len(r.model.said) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if len(b) > 0 && b[len(b)-1] != '\n' {
		return fmt.Errorf("the conversation ends in the middle of a record: %q", b[max(0, len(b)-80):])
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	for {
		var rec workshop.Record
		err := dec.Decode(&rec)
		if err == io.EOF {
			return nil
		}
		if err != nil || reflect.DeepEqual(rec, workshop.Record{}) {
			return fmt.Errorf("the conversation has a damaged record: %w", err)
		}
	}
}
