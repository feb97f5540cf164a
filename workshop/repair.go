package workshop

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"atelier/internal/busyfile"
)

// A repair goes through these steps; one that is killed can be begun again after
// any of them, and has lost nothing:
//
//  1. contents that are damaged are had from elsewhere, or moved aside
//  2. a new database and a new conversation are made in a folder of their own,
//     from copies of what is there
//  3. a marker is written: from here on the repair only goes forward
//  4. what is replaced is moved aside, and what was made takes its place
//
// Opening a workbench for writing completes a repair that was marked, and removes
// what one left that was not.

// damagedDir, in the state folder, has what repairs moved aside; repairDir what a
// repair is making.
const (
	damagedDir = "damaged"
	repairDir  = "repair"
)

// RepairResult says what a repair did.
type RepairResult struct {
	Mended []string // in words
	Lost   []string // in words
	Aside  string   // the folder that has what was damaged; "" when nothing was moved there
}

// repair is one in progress.
type repair struct {
	*examiner
	RepairResult
	aside string // relative to the state folder
	made  marker // what was made to be put in place
}

// Repair mends what can be mended of what a workbench keeps, and says what is lost:
// contents from published files and other stores, the database from what can be
// read of it, the conversation and the contents, the conversation without its
// damaged lines. Nothing is deleted: what was damaged is moved aside. Conflict when
// a process has the workbench open.
func (h *Home) Repair(ctx context.Context, id string) (RepairResult, error) {
	if h.opt.ReadOnly {
		return RepairResult{}, Faultf(Forbidden, "the data folder is open for reading only")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[id] != nil {
		return RepairResult{}, inUse(h.stateDir(id))
	}
	x, err := h.examiner(id)
	if err != nil {
		return RepairResult{}, err
	}
	defer x.close()
	lock, err := lockState(x.dir)
	if err != nil {
		return RepairResult{}, err
	}
	defer lock.Unlock()
	if err := finishRepair(x.dir, h.at); err != nil {
		return RepairResult{}, storageFault(err)
	}
	if err := x.all(ctx); err != nil {
		return RepairResult{}, err
	}
	r := &repair{examiner: x, aside: filepath.Join(damagedDir, h.opt.Now().UTC().Format("20060102T150405.000000000"))}
	if err := r.run(ctx); err != nil {
		return RepairResult{}, storageFault(fmt.Errorf("the repair stopped; nothing is lost, and it can be begun again: %w", err))
	}
	return r.RepairResult, nil
}

// at is called at each step of a repair; tests let it fail.
func (h *Home) at(step string) error {
	if h.opt.Failpoint != nil {
		return h.opt.Failpoint(step)
	}
	return nil
}

func (r *repair) run(ctx context.Context) error {
	if r.wants(FindDescription) {
		if err := r.mendDescription(); err != nil {
			return err
		}
	}
	if err := r.mendContents(ctx); err != nil {
		return err
	}
	if err := r.h.at("repair-contents"); err != nil {
		return err
	}
	scratch := filepath.Join(r.dir, repairDir)
	if err := os.Mkdir(scratch, 0o700); err != nil {
		return err
	}
	if err := r.newConversation(scratch); err != nil {
		return err
	}
	if err := r.newDatabase(ctx, scratch); err != nil {
		return err
	}
	if len(r.made.Replace) > 0 {
		r.made.Aside = r.aside
		if err := syncDir(scratch); err != nil {
			return err
		}
		if err := r.h.at("repair-built"); err != nil {
			return err
		}
		if err := r.made.save(r.dir); err != nil {
			return err
		}
		if err := r.h.at("repair-marked"); err != nil {
			return err
		}
	}
	if err := finishRepair(r.dir, r.h.at); err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(r.dir, r.aside)) // when nothing was moved there
	if _, err := os.Stat(filepath.Join(r.dir, r.aside)); err == nil {
		r.Aside = filepath.Join(r.dir, r.aside)
	}
	return nil
}

// mendDescription rewrites the description from its copy.
func (r *repair) mendDescription() error {
	i, err := r.h.info(r.ID)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(r.dir, r.aside), 0o700); err != nil {
		return err
	}
	if err := ignoreMissing(busyfile.Rename(filepath.Join(r.dir, descriptionFiles[0]), filepath.Join(r.dir, r.aside, descriptionFiles[0]))); err != nil {
		return err
	}
	r.Mended = append(r.Mended, "the description of the workbench, from its copy")
	return r.h.saveInfo(i)
}

// wants reports whether something of a kind is to be mended.
func (r *repair) wants(kinds ...string) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Mendable && slices.Contains(kinds, f.Kind) })
}

// mendContents has damaged contents from elsewhere, and moves the others aside.
func (r *repair) mendContents(ctx context.Context) error {
	var hashes []string
	for hash, whole := range r.sound {
		if !whole {
			hashes = append(hashes, hash)
		}
	}
	sort.Strings(hashes)
	for _, hash := range hashes {
		where := r.whereElse(ctx, hash)
		if where != "" {
			if err := r.mendContent(ctx, hash); err != nil {
				return err
			}
			r.sound[hash] = true
			r.Mended = append(r.Mended, fmt.Sprintf("the kept content %.12s… from %s", hash, where))
			continue
		}
		if err := r.moveAside(hash); err != nil {
			return err
		}
		if r.known[hash] {
			continue
		}
		for _, f := range r.Findings {
			if f.Hash == hash {
				r.Lost = append(r.Lost, f.Message)
			}
		}
	}
	return nil
}

// mendContent stores a content again, from any place that has it.
func (r *repair) mendContent(ctx context.Context, hash string) error {
	if p, ok := r.published(ctx)[hash]; ok {
		f, st, err := r.wb.openPublished(p)
		if err != nil {
			return err
		}
		defer f.Close()
		return r.objects.mend(ctx, hash, &source{f, st.Size(), hash, ""})
	}
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(r.dir), "*", "objects", hash[:2], hash[2:]))
	err := error(damageOf(hash, fs.ErrNotExist))
	for _, path := range others {
		src, oerr := newObjects(filepath.Dir(filepath.Dir(path))).open(ctx, hash, "")
		if oerr != nil {
			continue
		}
		err = r.objects.mend(ctx, hash, src)
		src.Close()
		if err == nil {
			return nil
		}
	}
	return err
}

// moveAside moves a damaged content out of the store.
func (r *repair) moveAside(hash string) error {
	dir := filepath.Join(r.dir, r.aside, "objects")
	if _, err := os.Stat(r.objects.path(hash)); err != nil {
		return ignoreMissing(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := busyfile.Rename(r.objects.path(hash), filepath.Join(dir, hash)); err != nil {
		return err
	}
	return errors.Join(syncDir(dir), syncDir(filepath.Dir(r.objects.path(hash))))
}

// newConversation makes the conversation without its damaged lines.
func (r *repair) newConversation(scratch string) error {
	if !r.wants(FindConversation) {
		return nil
	}
	var out bytes.Buffer
	c := &Conversation{path: filepath.Join(r.dir, "conversation.jsonl"), readOnly: true}
	err := c.scan(func(_ Record, line []byte) { out.Write(append(slices.Clone(line), '\n')) }, func(damagedLine) {})
	if err != nil {
		return err
	}
	if err := ReplaceFile(filepath.Join(scratch, "conversation.jsonl"), out.Bytes()); err != nil {
		return err
	}
	r.made.Replace = append(r.made.Replace, "conversation.jsonl")
	for _, d := range r.badLines {
		r.Lost = append(r.Lost, fmt.Sprintf("line %d of the conversation (%d bytes)", d.line, len(d.text)))
	}
	r.Mended = append(r.Mended, fmt.Sprintf("the conversation: its %d whole records stay", r.Records))
	return nil
}

// newDatabase makes a database of what can be had, or notes in the present one
// which contents are lost.
func (r *repair) newDatabase(ctx context.Context, scratch string) error {
	path := filepath.Join(r.dir, "workbench.db")
	if !r.wants(FindDatabase, FindReference) {
		if !slices.Contains(slices.Collect(mapValues(r.sound)), false) || !hasDB(r.dir) {
			return nil
		}
		db, err := openDB(path, false)
		if err != nil {
			return err
		}
		defer db.Close()
		return inTx(ctx, db, func(tx *sql.Tx) error { return r.settle(tx) })
	}
	at := filepath.Join(scratch, "db") // no conversation is beside it, which would make it a lost one
	if err := os.Mkdir(at, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"", "-wal"} {
		if err := copyFile(path+name, filepath.Join(at, "old.db"+name)); err != nil {
			return err
		}
	}
	db, err := openDB(filepath.Join(at, "new.db"), false)
	if err != nil {
		return err
	}
	err = r.rebuild(ctx, db, filepath.Join(at, "old.db"))
	if err == nil {
		_, err = db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	if err == nil {
		_, err = db.Exec(`PRAGMA journal_mode=DELETE`) // one file, which a rename puts in place
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	if err := busyfile.Rename(filepath.Join(at, "new.db"), filepath.Join(scratch, "workbench.db")); err != nil {
		return err
	}
	r.made.Replace = append(r.made.Replace, "workbench.db")
	return syncFile(filepath.Join(scratch, "workbench.db"))
}

func mapValues[K comparable, V any](m map[K]V) func(func(V) bool) {
	return func(yield func(V) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// copyFile copies a file that may not be there.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return ignoreMissing(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
