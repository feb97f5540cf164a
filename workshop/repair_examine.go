package workshop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"atelier/internal/sqlitedb"
)

// The kinds of a Finding.
const (
	FindContent      = "content"      // a kept content is damaged or missing
	FindDatabase     = "database"     // a database is damaged, gone or empty
	FindReference    = "reference"    // a row names what is not there, or contradicts another
	FindConversation = "conversation" // a line of the conversation is damaged
	FindFolder       = "folder"       // the folder is gone or another one
	FindDescription  = "description"  // workbench.json is damaged
)

// Finding is one thing that is wrong with what a workbench keeps.
type Finding struct {
	Kind     string
	Message  string
	Paths    []Path // files of the workbench it concerns
	Hash     string // of a content
	Line     int    // of the conversation
	Mendable bool   // a repair makes it whole again
	Known    bool   // an earlier repair has said that it is lost
}

// Examination is what was found wrong with a workbench, and how much was looked at.
type Examination struct {
	ID, Root string
	Contents int
	Bytes    int64
	Records  int
	Findings []Finding
}

// Damaged reports whether there is a finding that no repair has told before.
func (x Examination) Damaged() bool {
	for _, f := range x.Findings {
		if !f.Known {
			return true
		}
	}
	return false
}

// examiner looks at the state of a workbench without opening it, so that nothing
// that is damaged keeps it from seeing the rest.
type examiner struct {
	h       *Home
	dir     string
	objects objects
	wb      *Workbench // only its root, where that is there
	Examination
	used     map[string][]use
	sound    map[string]bool // contents on disk, and whether they are whole
	known    map[string]bool // lost, as an earlier repair said
	whole    bool            // the database is readable
	badLines []damagedLine
	sameAs   map[string]Path // published files by hash
}

// use is what refers to a content.
type use struct {
	path Path
	what string
}

// Examine checks everything a workbench keeps: the description, the folder, the
// database, every content and every reference to one, and the conversation. It
// changes nothing.
func (h *Home) Examine(ctx context.Context, id string) (Examination, error) {
	if !validID.MatchString(id) {
		return Examination{}, Unknownf("workbench not found: %s", id)
	}
	x, err := h.examiner(id)
	if err != nil {
		return Examination{}, err
	}
	defer x.close()
	err = x.all(ctx)
	return x.Examination, err
}

func (h *Home) examiner(id string) (*examiner, error) {
	x := &examiner{h: h, dir: h.stateDir(id), used: map[string][]use{}, sound: map[string]bool{}, known: map[string]bool{}}
	x.ID = id
	x.objects = newObjects(filepath.Join(x.dir, "objects"))
	i, err := h.info(id)
	if err != nil {
		if _, serr := os.Stat(x.dir); serr != nil {
			return nil, err
		}
		x.find(Finding{Kind: FindDescription, Message: err.Error()})
		return x, nil
	}
	x.Root = i.Root
	if _, err := readDescription(x.dir, descriptionFiles[0]); err != nil {
		x.find(Finding{Kind: FindDescription, Message: fmt.Sprintf("the file workbench.json is damaged (%v); its copy is whole", err), Mendable: true})
	}
	x.folder(i)
	return x, nil
}

func (x *examiner) close() {
	if x.wb != nil {
		x.wb.root.Close()
	}
}

func (x *examiner) find(f Finding) { x.Findings = append(x.Findings, f) }

func (x *examiner) all(ctx context.Context) error {
	if err := x.database(ctx); err != nil {
		return err
	}
	if err := x.contents(ctx); err != nil {
		return err
	}
	if err := x.otherDatabases(ctx); err != nil {
		return err
	}
	return x.conversation()
}

// folder checks that the folder is there and the one it was.
func (x *examiner) folder(i Info) {
	now, err := markOf(i.Root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.find(Finding{Kind: FindFolder, Message: "the folder " + i.Root + " is gone; draft and conversation are kept"})
		return
	case err != nil:
		x.find(Finding{Kind: FindFolder, Message: err.Error()})
		return
	case !i.Managed && i.compare(now) == otherFolder:
		f := AsFault(notTheFolder(i))
		x.find(Finding{Kind: FindFolder, Message: f.Message + "; " + f.Hint})
		return
	}
	root, err := os.OpenRoot(i.Root)
	if err != nil {
		x.find(Finding{Kind: FindFolder, Message: fmt.Sprintf("the folder cannot be opened: %v", err)})
		return
	}
	x.wb = &Workbench{info: i, dir: x.dir, root: root, readOnly: true, limits: x.h.opt.Limits.withDefaults()}
}

// database checks the state database and collects what its rows refer to.
func (x *examiner) database(ctx context.Context) error {
	if err := lostDB(x.dir, x.Root); err != nil {
		x.find(Finding{Kind: FindDatabase, Message: err.Error(), Mendable: true})
		return nil
	}
	path := filepath.Join(x.dir, "workbench.db")
	if st, err := os.Stat(path); err != nil || st.Size() == 0 {
		return ignoreMissing(err) // never begun
	}
	db, err := openDB(path, true)
	if err == nil {
		defer db.Close()
		err = x.rows(ctx, db)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case IsFault(err, NotFound):
		return nil // never begun
	}
	x.whole = false
	x.find(Finding{Kind: FindDatabase, Message: damagedOpening(x.Root, err).Error(), Mendable: errors.Is(storageFault(err), ErrDamaged)})
	return nil
}

// rows checks the database itself, and what its rows refer to.
func (x *examiner) rows(ctx context.Context, db *sql.DB) error {
	problems, err := integrity(ctx, db)
	if err != nil {
		return err
	}
	for _, p := range problems {
		x.find(Finding{Kind: FindDatabase, Message: "the state database is damaged: " + p, Mendable: true})
	}
	x.whole = len(problems) == 0
	return inReadTx(ctx, db, func(tx *sql.Tx) error {
		if err := x.uses(tx); err != nil {
			return err
		}
		return x.contradictions(tx)
	})
}

// maxProblems bounds what one database is said to have.
const maxProblems = 20

// integrity returns the findings of SQLite's own check.
func integrity(ctx context.Context, db *sql.DB) ([]string, error) {
	rs, err := db.QueryContext(ctx, fmt.Sprintf(`PRAGMA integrity_check(%d)`, maxProblems))
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var out []string
	for rs.Next() {
		var s string
		if err := rs.Scan(&s); err != nil {
			return out, err
		}
		if s != "ok" {
			out = append(out, strings.TrimPrefix(s, "*** in database main ***\n"))
		}
	}
	return out, rs.Err()
}

// otherDatabases checks the databases beside the state: usage of memory, jobs,
// what left the machine.
func (x *examiner) otherDatabases(ctx context.Context) error {
	return filepath.WalkDir(x.dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(x.dir, path)
		switch {
		case err != nil:
			return nil // what cannot be looked at is said by who needs it
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && (rel == "objects" || rel == "files" || rel == damagedDir || rel == repairDir):
			return filepath.SkipDir
		case d.IsDir() || rel == "workbench.db" || filepath.Ext(path) != ".db":
			return nil
		}
		db, err := sqlitedb.Open(path, sqlitedb.Options{ReadOnly: true})
		if err != nil {
			return nil
		}
		defer db.Close()
		problems, err := integrity(ctx, db)
		if err != nil && isCorrupt(err) {
			problems = append(problems, err.Error())
		}
		if len(problems) > 0 {
			x.find(Finding{Kind: FindDatabase, Message: fmt.Sprintf("the database %s is damaged: %s", path, problems[0])})
		}
		return nil
	})
}

// contents checks every content on disk, and that those which are referred to are
// there.
func (x *examiner) contents(ctx context.Context) error {
	err := x.objects.each(func(hash, _ string, st fs.FileInfo) error {
		err := x.objects.check(ctx, hash)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		x.Contents++
		x.Bytes += st.Size()
		x.sound[hash] = err == nil
		if err != nil {
			x.lostContent(ctx, hash, err)
		}
		return nil
	})
	if err != nil {
		return storageFault(err)
	}
	var missing []string
	for hash := range x.used {
		if _, there := x.sound[hash]; !there {
			missing = append(missing, hash)
		}
	}
	sort.Strings(missing)
	for _, hash := range missing {
		x.sound[hash] = false
		x.lostContent(ctx, hash, damageOf(hash, fs.ErrNotExist))
	}
	return nil
}

// lostContent finds a content that is not whole, and whether it can be had from
// elsewhere.
func (x *examiner) lostContent(ctx context.Context, hash string, err error) {
	f := Finding{Kind: FindContent, Hash: hash, Known: x.known[hash]}
	var d *damage
	if !errors.As(err, &d) {
		d = damageOf(hash, err)
	}
	uses := x.used[hash]
	var of []string
	for _, u := range uses {
		if len(of) < 5 {
			of = append(of, u.what)
		}
		if u.path != "" && !containsPath(f.Paths, u.path) {
			f.Paths = append(f.Paths, u.path)
		}
	}
	switch {
	case len(uses) > len(of):
		of = append(of, fmt.Sprintf("%d more", len(uses)-len(of)))
	case len(uses) == 0 && !x.whole:
		of = []string{"what refers to it cannot be read"}
	case len(uses) == 0:
		of = []string{"nothing refers to it"}
	}
	f.Message = fmt.Sprintf("the kept content %.12s… (%s) %s", hash, strings.Join(of, ", "), d.what)
	switch where := x.whereElse(ctx, hash); {
	case where != "":
		f.Mendable = true
		f.Message += "; " + where + " holds the same content, which is used instead"
	case f.Known:
		f.Message += "; it is lost, as a repair has said before"
	default:
		f.Message += "; no other copy of it was found"
	}
	x.find(f)
}

func containsPath(ps []Path, p Path) bool {
	for _, q := range ps {
		if q == p {
			return true
		}
	}
	return false
}

// whereElse says where else a content is, "" when nowhere.
func (x *examiner) whereElse(ctx context.Context, hash string) string {
	if p, ok := x.published(ctx)[hash]; ok {
		return "the published file " + string(p)
	}
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(x.dir), "*", "objects", hash[:2], hash[2:]))
	for _, path := range others {
		if dir := filepath.Dir(filepath.Dir(path)); dir != x.objects.dir && newObjects(dir).check(ctx, hash) == nil {
			return "another folder's store"
		}
	}
	return ""
}

// published returns the published files by the hash of their content.
func (x *examiner) published(ctx context.Context) map[string]Path {
	if x.sameAs != nil || x.wb == nil {
		return x.sameAs
	}
	x.sameAs = map[string]Path{}
	found := blockList{noStat: true}
	root, err := openDir(x.wb.root, ".")
	if err != nil {
		return x.sameAs
	}
	defer root.Close()
	if err := (published{x.wb}).walk(ctx, root, "", true, &found); err != nil {
		return x.sameAs
	}
	for _, e := range found.entries() {
		if e.IsDir || e.Refused != "" {
			continue
		}
		if hash, err := x.wb.freshHash(ctx, e.Path); err == nil && hash != "" {
			x.sameAs[hash] = e.Path
		}
	}
	return x.sameAs
}

// conversation checks every line.
func (x *examiner) conversation() error {
	c := &Conversation{path: filepath.Join(x.dir, "conversation.jsonl"), readOnly: true}
	return c.scan(func(Record, []byte) { x.Records++ }, func(d damagedLine) {
		x.badLines = append(x.badLines, d)
		x.find(Finding{Kind: FindConversation, Line: d.line, Mendable: true,
			Message: fmt.Sprintf("line %d of the conversation is damaged and is left out (%d bytes); the lines after it are there", d.line, len(d.text))})
	})
}
