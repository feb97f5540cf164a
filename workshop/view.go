package workshop

import (
	"context"
	"io"
	"time"

	"atelier/formats"
)

// Path is the one internal form of a path inside a workbench: relative to the
// root, '/'-separated, clean, valid UTF-8, without "." or ".." segments. The
// root itself is "". Only the path policies (ParseStrict …) make one from
// outside input.
type Path string

// Entry is a file or folder as a view shows it.
type Entry struct {
	Path     Path
	IsDir    bool
	Kind     formats.Kind // "" for folders
	Size     int64        // bytes; 0 for folders
	Hash     string       // lowercase hex SHA-256; "" for folders and where ListOptions.NoHash
	MIME     string
	Modified time.Time
	InDraft  bool // its content comes from the draft, not from the published file
	// ChangedOutside: the published file was changed, removed or added outside since
	// the draft was based on it; publishing this one is a conflict.
	ChangedOutside bool
	// Synced: the workbench knows it; otherwise it is only on disk (B-02) and
	// Identity is empty, as it is for a folder that is only implied by a file of
	// the draft.
	Synced bool
	// Virtual: it is made of other things the workbench keeps, and only read.
	// The views of this package have none; views around them may add some.
	Virtual bool
	// Calculated: values of its formulas come from Atelier (PutOptions.Calculated).
	// Only Stat sets it.
	Calculated bool
	// Unchanged: Put left the file as it was (PutOptions.Same).
	Unchanged bool
	Identity
	// Refused says why the entry cannot be opened (link, FIFO, over the size
	// limit …), "" when it can (W-65).
	Refused string
	// Withheld says why a model may not read it, "" when it may. Only views that
	// keep something back set it (package secrets).
	Withheld string
}

// Name returns the last segment of the path.
func (e Entry) Name() string {
	for i := len(e.Path) - 1; i >= 0; i-- {
		if e.Path[i] == '/' {
			return string(e.Path[i+1:])
		}
	}
	return string(e.Path)
}

// IsSpecial reports whether it is a link, pipe, device or socket. Nothing opens
// or follows those, and models are not shown them.
func (e Entry) IsSpecial() bool { return e.Refused == refusedLink || e.Refused == refusedSpecial }

// ListOptions refine View.List; the zero value lists immediate children with
// their hashes.
type ListOptions struct {
	Recursive bool // all descendants
	NoHash    bool // leave Entry.Hash empty, so that nothing has to be read
}

// PutOptions refine View.Put; the zero value creates or replaces.
type PutOptions struct {
	// BaseHash, when not empty, must be the current content's hash; otherwise
	// the write is refused with Conflict and nothing changes.
	BaseHash string
	// CreateOnly refuses with Conflict when the file exists.
	CreateOnly bool
	Type       string // file type to give it (document, plan …); "" keeps what it has
	JSON       bool   // the content is a JSON value, not text (B-09)
	// Copied, when not nil, is the file whose copy the content is or was before
	// it was edited. The draft keeps that content until the file is published or
	// removed, so that a review can show what is different in the copy.
	Copied *Copied
	// Calculated, when not nil, says once write has ended whether values of formulas
	// were calculated. The workbench marks the content; a content that is made from a
	// marked one (BaseHash, Copied) is marked too.
	Calculated *bool
	// Same, when not nil, leaves a file whose content stays the same as it is:
	// without a change of the draft or a version. It is asked where the bytes
	// differ.
	Same Comparer
}

// Copied is a file that is copied: where it is, and its content as it was read.
type Copied struct {
	From   Path
	Source formats.Source
}

// Comparer tells whether two files that differ in their bytes hold the same.
type Comparer interface {
	Same(now, written formats.Source) (bool, error)
}

// SameBytes is a Comparer for files of which every byte counts.
type SameBytes struct{}

// Same implements Comparer.
func (SameBytes) Same(_, _ formats.Source) (bool, error) { return false, nil }

// Source is an open file of a view; close it.
type Source interface {
	formats.Source
	io.Closer
}

// View is the files of a workbench as a tool handler works on them. A handler
// never knows which kind it has. Paths that do not exist give NotFound
// faults, paths that would leave the root Sandbox faults. Reads see the state
// after the last finished write; one write runs at a time.
type View interface {
	Stat(ctx context.Context, p Path) (Entry, error)
	// List returns entries sorted by path in byte order.
	List(ctx context.Context, dir Path, opt ListOptions) ([]Entry, error)
	Open(ctx context.Context, p Path) (Source, error)
	// Put creates or replaces a file with what write produces, parents
	// included: wholly, or not at all when write or ctx fails.
	Put(ctx context.Context, p Path, opt PutOptions, write func(io.Writer) error) (Entry, error)
	Mkdir(ctx context.Context, p Path) (Entry, error)
	Remove(ctx context.Context, p Path) error
	Move(ctx context.Context, from, to Path) error
	Touch(ctx context.Context, p Path) (Entry, error)
}
