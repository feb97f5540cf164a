package workshop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Explorer is a view that can be searched cheaply: a folder at a time, names
// before anything else, content without its hash. List and Open hash what they
// show, which costs more than searching it. The views of this package are
// Explorers, and so is what Intercept makes of one.
type Explorer interface {
	// Explore opens a folder to look around in; close it. What is seen is each
	// folder as it was when it was opened, and the draft as it was at this call.
	Explore(ctx context.Context, dir Path) (Folder, error)
}

// Folder is an open folder of an Explorer. It may be used from several
// goroutines until it is closed.
type Folder interface {
	// Items lists the folder in the byte order of the full paths below it: a
	// folder stands where its name followed by "/" would, so that a walk
	// depth first meets files in the order of their paths.
	Items() []Item
	// Info looks an item up, leaving Entry.Hash empty.
	Info(it Item) (Entry, error)
	// Open opens a file without hashing it. Links, special files and files over
	// the size limit are refused as View.Open refuses them.
	Open(ctx context.Context, it Item) (Content, error)
	// Folder opens a folder inside this one. It stays usable when this one is
	// closed.
	Folder(ctx context.Context, it Item) (Folder, error)
	Close() error
}

// Item is what a Folder knows of an entry without looking it up.
type Item struct {
	Path    Path
	Name    string
	IsDir   bool
	Regular bool // a file that can be opened, as far as its type tells

	row *row // from the draft; nil for a published one
}

// Content is an open file without a hash.
type Content interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Size() int64 // bytes, when it was opened
}

// SortItems puts items of one folder into the order of Folder.Items.
func SortItems(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		n := min(len(a.Name), len(b.Name))
		if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
			return c
		}
		return int(a.orderAt(n)) - int(b.orderAt(n))
	})
}

// orderAt returns the byte of the path at n within or just behind the name: "/" for
// a folder, nothing (before any byte) for a file.
func (it Item) orderAt(n int) byte {
	switch {
	case n < len(it.Name):
		return it.Name[n]
	case it.IsDir:
		return '/'
	}
	return 0
}

// Explore opens a published folder.
func (v published) Explore(_ context.Context, dir Path) (Folder, error) {
	if dir != "" {
		st, err := v.wb.lstat(dir)
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			return nil, Faultf(Invalid, "%s is a file, not a folder", dir)
		}
	}
	opened, err := openDir(v.wb.root, rootName(dir))
	if err != nil {
		return nil, fmt.Errorf("cannot look into %s: %w", dir, err)
	}
	return openPublishedFolder(v, dir, opened)
}

// publishedFolder holds the folder itself, so that its files are opened
// relative to it rather than from the root down.
type publishedFolder struct {
	v     published
	dir   *openedDir
	items []Item
}

func openPublishedFolder(v published, dir Path, opened *openedDir) (Folder, error) {
	items, err := readItems(opened, dir)
	if err != nil {
		opened.Close()
		return nil, fmt.Errorf("cannot look into %s: %w", dir, err)
	}
	return &publishedFolder{v, opened, items}, nil
}

func readItems(opened *openedDir, dir Path) ([]Item, error) {
	prefix := ""
	if dir != "" {
		prefix = string(dir) + "/"
	}
	var items []Item
	err := opened.each(func(name []byte, isDir, regular bool) {
		p := Path(prefix + string(name))
		it := Item{Path: p, Name: string(p[len(prefix):]), IsDir: isDir, Regular: regular}
		if !reserved(p) && !litter(it.Name) {
			items = append(items, it)
		}
	})
	if err != nil {
		return nil, err
	}
	SortItems(items)
	return items, nil
}

func (f *publishedFolder) Items() []Item { return f.items }
func (f *publishedFolder) Close() error  { return f.dir.Close() }

func (f *publishedFolder) Info(it Item) (Entry, error) {
	st, err := f.dir.lstat(it.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, notFound(it.Path)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("cannot look at %s: %w", it.Path, err)
	}
	e := f.v.withKind(f.v.entry(it.Path, st), f.dir, it.Name, st)
	k, ok, err := f.v.wb.knownAs(context.Background(), it.Path)
	e.identify(k, ok)
	return e, err
}

func (f *publishedFolder) Open(_ context.Context, it Item) (Content, error) {
	switch {
	case it.IsDir:
		return nil, Faultf(Invalid, "%s is a folder, not a file", it.Path)
	case !it.Regular:
		return nil, Faultf(Sandbox, "SANDBOX_VIOLATION: %s is a link or a special file, which is not opened", it.Path)
	}
	file, st, err := f.dir.open(it.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound(it.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", it.Path, err)
	}
	if e := f.v.entry(it.Path, st); e.IsDir || e.Refused != "" {
		file.Close()
		return nil, Faultf(Invalid, "%s cannot be opened: %s", it.Path, first(e.Refused, "folder"))
	}
	return file, nil
}

func (f *publishedFolder) Folder(_ context.Context, it Item) (Folder, error) {
	opened, err := f.dir.folder(it.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound(it.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot look into %s: %w", it.Path, err)
	}
	return openPublishedFolder(f.v, it.Path, opened)
}

type plainContent struct {
	*os.File
	size int64
}

func (c plainContent) Size() int64 { return c.size }

// Explore opens a folder of the draft.
func (v draftView) Explore(ctx context.Context, dir Path) (Folder, error) {
	o := v.overlayByFolder()
	under, err := v.under.Explore(ctx, dir)
	if err != nil {
		st, serr := v.Stat(ctx, dir)
		if serr != nil {
			return nil, serr
		}
		if !st.IsDir {
			return nil, Faultf(Invalid, "%s is a file, not a folder", dir)
		}
		if !IsFault(err, NotFound) && !IsFault(err, Invalid) { // there only in the draft
			return nil, err
		}
		under = nil
	}
	return o.open(dir, under), nil
}

// overlaid is the draft's rows by folder and name, as they were at one moment,
// the folders that a row implies included.
type overlaid struct {
	v        draftView
	byFolder map[Path]map[string]row
}

func (v draftView) overlayByFolder() *overlaid {
	o := &overlaid{v, map[Path]map[string]row{}}
	v.wb.mu.RLock()
	defer v.wb.mu.RUnlock()
	for p, r := range v.rows() {
		o.names(parent(p))[path.Base(string(p))] = r
	}
	for p, r := range v.rows() {
		if r.kind != rowFile && r.kind != rowDir {
			continue
		}
		for q := parent(p); q != ""; q = parent(q) {
			names, base := o.names(parent(q)), path.Base(string(q))
			if _, ok := names[base]; !ok {
				names[base] = row{kind: rowImplied, modified: r.modified}
			}
		}
	}
	return o
}

// rowImplied marks a folder that need not be in the published files because
// the draft has something in it.
const rowImplied = "implied"

func (o *overlaid) names(dir Path) map[string]row {
	m := o.byFolder[dir]
	if m == nil {
		m = map[string]row{}
		o.byFolder[dir] = m
	}
	return m
}

// open lays the draft over a published folder, nil when there is none.
func (o *overlaid) open(dir Path, under Folder) Folder {
	rows := o.byFolder[dir]
	if len(rows) == 0 && under != nil {
		return &draftFolder{o, under, under.Items()}
	}
	var items []Item
	there := map[string]bool{}
	if under != nil {
		for _, it := range under.Items() {
			if r, ok := rows[it.Name]; !ok || r.kind == rowImplied && it.IsDir {
				items = append(items, it)
				there[it.Name] = true
			}
		}
	}
	for name, r := range rows {
		if r.kind == rowGone || r.kind == rowNoDir || there[name] {
			continue
		}
		p := Path(name)
		if dir != "" {
			p = dir + "/" + p
		}
		items = append(items, Item{Path: p, Name: name, IsDir: r.kind != rowFile, Regular: r.kind == rowFile, row: &r})
	}
	SortItems(items)
	return &draftFolder{o, under, items}
}

type draftFolder struct {
	o     *overlaid
	under Folder // nil where nothing is published
	items []Item
}

func (f *draftFolder) Items() []Item { return f.items }

func (f *draftFolder) Close() error {
	if f.under == nil {
		return nil
	}
	return f.under.Close()
}

func (f *draftFolder) Info(it Item) (Entry, error) {
	if it.row == nil {
		return f.under.Info(it)
	}
	if it.row.kind == rowImplied {
		return Entry{Path: it.Path, IsDir: true, InDraft: true, Synced: true, Modified: it.row.modified}, nil
	}
	e := f.o.v.wb.entryOf(it.Path, *it.row)
	e.Hash = ""
	return e, nil
}

func (f *draftFolder) Open(ctx context.Context, it Item) (Content, error) {
	if it.row == nil {
		return f.under.Open(ctx, it)
	}
	if it.IsDir {
		return nil, Faultf(Invalid, "%s is a folder, not a file", it.Path)
	}
	src, err := f.o.v.wb.openKept(ctx, it.row.hash, it.Path)
	if err != nil {
		return nil, err
	}
	return plainContent{src.(*source).f, src.Size()}, nil
}

func (f *draftFolder) Folder(ctx context.Context, it Item) (Folder, error) {
	var under Folder
	// A row of the draft may stand over a folder that is published too.
	if f.under != nil && (it.row == nil || slices.ContainsFunc(f.under.Items(), func(u Item) bool { return u.Name == it.Name && u.IsDir })) {
		var err error
		it.row = nil
		if under, err = f.under.Folder(ctx, it); err != nil && !IsFault(err, NotFound) {
			return nil, err
		}
	}
	return f.o.open(it.Path, under), nil
}

var (
	_ Explorer = published{}
	_ Explorer = draftView{}
)
