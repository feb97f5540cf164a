package replica

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

var (
	// ErrFenced says that another owner has begun: nothing that this one did since its
	// last acknowledged record counts.
	ErrFenced = errors.New("another server has taken over the workspace")
	// ErrUncertain says that a record may have been stored or not: the log did not answer.
	ErrUncertain = errors.New("the log of the workspace did not answer")
	// ErrNoContent says that the store has no content of a name.
	ErrNoContent = errors.New("a content of the workspace is missing in the store")
	// ErrDamaged says that what is stored of a workspace is not what was stored: trying again
	// finds the same.
	ErrDamaged = errors.New("what the cluster has of the workspace is damaged")
	// ErrStore says that a store of contents other than the log's servers did not do what it
	// was asked to. The ownership is not lost: what changed is stored by a later Commit.
	ErrStore = errors.New("the store of large contents cannot be used")

	// errOther says that what was to be stored is not what its hash says.
	errOther = errors.New("the bytes are not those of the content")
)

// StoreError is an ErrStore that names the store.
type StoreError struct {
	Store  string // its name and address
	Reason string // for people
	Err    error
}

func (e *StoreError) Error() string {
	return fmt.Sprintf("%v: %s: %s", ErrStore, e.Store, e.Reason)
}

// Unwrap makes it an ErrStore.
func (e *StoreError) Unwrap() []error { return []error{ErrStore, e.Err} }

// Log is the replicated log of one workspace. Its messages have rising numbers, with gaps.
type Log interface {
	// Append adds a message after the message with the number last, 0 where there is none
	// yet, and returns its number when it is stored for good. ErrFenced: another message
	// follows last. ErrUncertain: not known, Append may be called again with the same
	// arguments, and then gives ErrFenced if it was stored the first time.
	Append(ctx context.Context, last uint64, message []byte) (number uint64, err error)
	// Read calls f with the messages that are in the log, in order. It returns when the
	// message that was the last at the time of the call was given, and returns its number,
	// also where that message is gone; 0: there was never one.
	Read(ctx context.Context, f func(number uint64, message []byte) error) (last uint64, err error)
	// Purge removes the messages up to and with a number, but never the last.
	Purge(ctx context.Context, upto uint64) error
}

// Contents is the store of the contents of one workspace, by name. What Put stored is
// there for good when it returns.
type Contents interface {
	// Put stores a content under its name. r begins at its first byte, and Put may begin
	// with it again. It fails before the last byte unless it has the size and hash of c.
	Put(ctx context.Context, c Content, r io.ReadSeeker) error
	// Get returns a content; ErrNoContent.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	Names(ctx context.Context) ([]string, error)
	Remove(ctx context.Context, name string) error
}

// checked reads a content and fails at its end where it is another one.
type checked struct {
	io.ReadCloser
	want Content
	h    hash.Hash
	n    int64
}

// openContent opens a content; what is read to the end is what its hash says.
func openContent(ctx context.Context, s Contents, c Content) (io.ReadCloser, error) {
	r, err := s.Get(ctx, c.Name)
	if err != nil {
		return nil, err
	}
	return &checked{r, c, sha256.New(), 0}, nil
}

func (c *checked) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.h.Write(b[:n])
	c.n += int64(n)
	if err == io.EOF && (c.n != c.want.Size || hex.EncodeToString(c.h.Sum(nil)) != c.want.Hash) {
		return n, fmt.Errorf("%w: the content %s of the store does not have the SHA-256 of its name", ErrDamaged, c.want.Name)
	}
	if c.n > c.want.Size {
		return n, fmt.Errorf("%w: the content %s of the store is longer than it was", ErrDamaged, c.want.Name)
	}
	return n, err
}

// exact reads a content that is to be stored. Its last byte is not given unless all are those
// of the content, so a store never has the whole of another one.
type exact struct {
	r    io.ReadSeeker
	want Content
	h    hash.Hash
	n    int64
}

func newExact(r io.ReadSeeker, want Content) *exact { return &exact{r, want, sha256.New(), 0} }

func (e *exact) Read(b []byte) (int, error) {
	n, err := e.r.Read(b)
	e.h.Write(b[:n])
	e.n += int64(n)
	if e.n > e.want.Size || err == io.EOF && e.n < e.want.Size ||
		e.n == e.want.Size && hex.EncodeToString(e.h.Sum(nil)) != e.want.Hash {
		return 0, errOther
	}
	return n, err
}

// Seek begins again.
func (e *exact) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, errors.New("a content is read from its first byte")
	}
	e.h.Reset()
	e.n = 0
	return e.r.Seek(0, io.SeekStart)
}
