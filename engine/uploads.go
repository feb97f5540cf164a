package engine

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"atelier/workshop"
	"atelier/workshop/tools/attachments"
)

// An upload is a file that a client sends in parts, because it has no path on this
// host and is larger than a message may be. It lasts until a message or
// WorkbenchFilesAdd takes it, at most uploadLife after its last part, and not longer
// than the process.

const (
	uploadPart = 8 << 20 // bytes of one part at most
	uploadsMax = 2 * attachments.MaxFiles
	uploadLife = time.Hour
	uploadsDir = "uploads" // below the cache folder
	uploadLost = "begin it again: an upload lasts an hour after its last part, and not longer than the program"
)

// UploadBeginParams are the params of UploadBegin.
type UploadBeginParams struct {
	WorkbenchID string `json:"workbench_id"`
	Name        string `json:"name"` // without folders
	Size        int64  `json:"size"` // bytes of the whole file
}

// UploadState is how far an upload is.
type UploadState struct {
	UploadID string `json:"upload_id"`
	Received int64  `json:"received"` // bytes; the offset of the next part
	Complete bool   `json:"complete"`
}

// UploadAppendParams are the params of UploadAppend.
type UploadAppendParams struct {
	WorkbenchID string `json:"workbench_id"`
	UploadID    string `json:"upload_id"`
	Offset      int64  `json:"offset"` // of the part's first byte; the bytes received so far
	BytesBase64 string `json:"bytes_base64"`
}

// UploadRef names an upload.
type UploadRef struct {
	WorkbenchID string `json:"workbench_id"`
	UploadID    string `json:"upload_id"`
}

func uploadMethods() []*Method {
	return []*Method{
		method("UploadBegin", "Begins a file that a client sends in parts, for a message or for WorkbenchFilesAdd; it lasts an hour after its last part.", (*Engine).uploadBegin),
		method("UploadAppend", "Adds a part to an upload.", (*Engine).uploadAppend),
		method("UploadDiscard", "Drops an upload.", (*Engine).uploadDiscard),
	}
}

// upload is one file. Its name on disk is its id.
type upload struct {
	mu        sync.Mutex // held while a part is written
	id        string
	workbench string
	name      string
	size      int64
	have      int64
	used      time.Time
	path      string
}

// uploads are the files that clients send; the zero value has none.
type uploads struct {
	mu  sync.Mutex
	dir string
	all map[string]*upload
}

// begin adds an upload. It removes those that nobody continued, also of processes
// that were killed.
func (u *uploads) begin(cache, workbench, name string, size int64, now time.Time) (*upload, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all == nil {
		u.dir, u.all = filepath.Join(cache, uploadsDir), map[string]*upload{}
		if err := os.MkdirAll(u.dir, 0o700); err != nil {
			return nil, err
		}
		u.removeStale(now)
	}
	mine := 0
	for id, up := range u.all {
		switch {
		case now.Sub(up.used) > uploadLife:
			u.remove(id)
		case up.workbench == workbench:
			mine++
		}
	}
	if mine >= uploadsMax {
		return nil, workshop.Faultf(workshop.Invalid, "%d uploads of this workbench wait to be used; drop some with UploadDiscard", mine)
	}
	f, err := os.CreateTemp(u.dir, "up-*") // mode 0600
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	up := &upload{id: filepath.Base(f.Name()), workbench: workbench, name: name, size: size, used: now, path: f.Name()}
	u.all[up.id] = up
	return up, nil
}

func (u *uploads) removeStale(now time.Time) {
	entries, err := os.ReadDir(u.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if st, err := e.Info(); err == nil && now.Sub(st.ModTime()) > 2*uploadLife {
			os.Remove(filepath.Join(u.dir, e.Name()))
		}
	}
}

// remove drops an upload; u.mu is held.
func (u *uploads) remove(id string) {
	if up := u.all[id]; up != nil {
		delete(u.all, id)
		os.Remove(up.path)
	}
}

func (u *uploads) discard(ids ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range ids {
		u.remove(id)
	}
}

func (u *uploads) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id := range u.all {
		u.remove(id)
	}
}

// find returns an upload of a workbench.
func (u *uploads) find(workbench, id string) (*upload, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	up := u.all[id]
	if up == nil || up.workbench != workbench {
		f := workshop.Unknownf("there is no upload %s", id).OnField("upload_id")
		f.Hint = uploadLost
		return nil, f
	}
	return up, nil
}

// whole returns an upload that has all its parts.
func (u *uploads) whole(workbench, id string) (*upload, error) {
	up, err := u.find(workbench, id)
	if err != nil {
		return nil, err
	}
	up.mu.Lock()
	defer up.mu.Unlock()
	if up.have != up.size {
		return nil, workshop.Faultf(workshop.Invalid, "the upload of %s is not complete: %d of %d bytes were received", up.name, up.have, up.size).OnField("upload_id")
	}
	return up, nil
}

func (up *upload) state() UploadState {
	return UploadState{UploadID: up.id, Received: up.have, Complete: up.have == up.size}
}

// append writes a part. The part that was received last may come again.
func (up *upload) append(offset int64, b []byte, now time.Time) (UploadState, error) {
	up.mu.Lock()
	defer up.mu.Unlock()
	switch {
	case offset > up.have || offset < 0:
		return up.state(), workshop.Faultf(workshop.Invalid, "the part begins at %d, but %d bytes of %s were received", offset, up.have, up.name).OnField("offset")
	case offset+int64(len(b)) > up.size:
		return up.state(), workshop.Faultf(workshop.Invalid, "the parts of %s have more bytes than the %d that were announced", up.name, up.size).OnField("bytes_base64")
	}
	f, err := os.OpenFile(up.path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(b, offset)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return up.state(), fmt.Errorf("a part of %s could not be stored: %w", up.name, err)
	}
	up.have, up.used = max(up.have, offset+int64(len(b))), now
	return up.state(), nil
}

func (e *Engine) uploadBegin(ctx context.Context, p UploadBeginParams) (UploadState, error) {
	if _, err := e.workbench(ctx, p.WorkbenchID); err != nil {
		return UploadState{}, err
	}
	if err := attachments.CheckName(p.Name); err != nil {
		return UploadState{}, err
	}
	if p.Size < 0 || p.Size > attachments.MaxBytes {
		return UploadState{}, workshop.Faultf(workshop.Invalid, "%s has %d bytes; an upload can have at most %d", p.Name, p.Size, attachments.MaxBytes).OnField("size")
	}
	up, err := e.uploads.begin(e.home.CacheDir(), p.WorkbenchID, p.Name, p.Size, e.opt.Now())
	if err != nil {
		return UploadState{}, err
	}
	return up.state(), nil
}

func (e *Engine) uploadAppend(_ context.Context, p UploadAppendParams) (UploadState, error) {
	up, err := e.uploads.find(p.WorkbenchID, p.UploadID)
	if err != nil {
		return UploadState{}, err
	}
	if base64.StdEncoding.DecodedLen(len(p.BytesBase64)) > uploadPart+2 {
		return UploadState{}, workshop.Faultf(workshop.Invalid, "a part can have at most %d bytes", uploadPart).OnField("bytes_base64")
	}
	b, err := base64.StdEncoding.DecodeString(p.BytesBase64)
	if err != nil {
		return UploadState{}, workshop.Faultf(workshop.Invalid, "the part is not base64: %v", err).OnField("bytes_base64")
	}
	return up.append(p.Offset, b, e.opt.Now())
}

func (e *Engine) uploadDiscard(_ context.Context, p UploadRef) (Empty, error) {
	up, err := e.uploads.find(p.WorkbenchID, p.UploadID)
	if err == nil {
		e.uploads.discard(up.id)
	}
	return Empty{}, err
}

// fileOf returns an upload as a file to attach, under its name or under the one given.
func (u *uploads) fileOf(workbench string, a AttachmentParams) (attachments.File, error) {
	if a.Path != "" || a.Content != "" {
		return attachments.File{}, refusedAttachment("an attachment has an upload, content or a path, and not more than one of them")
	}
	up, err := u.whole(workbench, a.UploadID)
	if err != nil {
		return attachments.File{}, err
	}
	name := a.Name
	if name == "" {
		name = up.name
	}
	return attachments.File{Name: name, Size: up.size, Open: func() (io.ReadCloser, error) { return os.Open(up.path) }}, nil
}
