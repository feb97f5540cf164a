package workshop

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// AddResult says what became of one file of AddHostFiles or RemoveFiles.
type AddResult struct {
	SourcePath string // as given
	FileName   string // in the workbench
	Status     string // "added", "removed" or "rejected"
	Reason     string // symlink, directory, special_file, size_limit, duplicate, unreadable, not_found …
}

// HostFile is a file of the host that AddHostFiles copies.
type HostFile struct {
	Path string // absolute
	Name string // in the workbench
}

// AddFiles copies files of the host under their names, as AddHostFiles does.
func (wb *Workbench) AddFiles(ctx context.Context, sources []string) ([]AddResult, error) {
	files := make([]HostFile, len(sources))
	for i, s := range sources {
		files[i] = HostFile{Path: s, Name: filepath.Base(s)}
	}
	return wb.AddHostFiles(ctx, files)
}

// AddHostFiles copies files of the host into the root as published files, each
// wholly or not at all. Links, folders, FIFOs, devices and sockets are refused
// without being opened (W-65).
func (wb *Workbench) AddHostFiles(ctx context.Context, sources []HostFile) ([]AddResult, error) {
	if wb.readOnly {
		return nil, readOnlyWorkbench()
	}
	out := make([]AddResult, 0, len(sources))
	var added []string
	err := func() error {
		if err := wb.lockWrite(ctx); err != nil {
			return err
		}
		defer wb.writeMu.Unlock()
		for _, s := range sources {
			r := AddResult{SourcePath: s.Path, FileName: s.Name, Status: "rejected"}
			if err := ctx.Err(); err != nil {
				return err
			}
			reason, err := wb.addFile(ctx, s)
			switch {
			case err != nil:
				return err
			case reason == "":
				r.Status = "added"
				added = append(added, r.FileName)
			default:
				r.Reason = reason
			}
			out = append(out, r)
		}
		return nil
	}()
	if len(added) > 0 {
		wb.emit(Event{Kind: "files", Added: added})
	}
	return out, err
}

// addFile copies one file; reason says why it was refused.
func (wb *Workbench) addFile(ctx context.Context, file HostFile) (reason string, err error) {
	src := file.Path
	st, err := os.Lstat(src)
	switch {
	case errors.Is(err, fs.ErrNotExist), src == "":
		return "not_found", nil
	case err != nil:
		return "unreadable", nil
	case st.Mode()&fs.ModeSymlink != 0:
		return "symlink", nil
	case st.IsDir():
		return "directory", nil
	case !st.Mode().IsRegular():
		return "special_file", nil
	case st.Size() > wb.limits.FileBytes:
		return "size_limit", nil
	}
	p, err := ParseStrict(file.Name)
	if err != nil {
		return err.Error(), nil
	}
	if _, err := wb.DraftView(Cause{}).Stat(ctx, p); err == nil {
		return "duplicate", nil
	} else if !IsFault(err, NotFound) {
		return "", err
	}
	if _, err := wb.lstat(p); err == nil { // the draft removes it, but it is there
		return "duplicate", nil
	} else if !IsFault(err, NotFound) {
		return "", err
	}
	f, err := os.Open(src)
	if err != nil {
		return "unreadable", nil
	}
	defer f.Close()
	hash, size, err := wb.objects.put(ctx, wb.limits.FileBytes, func(w io.Writer) error { _, err := io.Copy(w, f); return err })
	if err != nil {
		return "", err
	}
	return "", wb.carryOut(ctx, intent{id: wb.newID(), reason: ReasonAdd, at: wb.now().UTC(),
		targets: []target{{path: p, kind: rowFile, newHash: hash, size: size, identity: Identity{FileID: wb.newID()}, author: "user"}}})
}

// RemoveFiles removes published files, all or none; their content is kept in a
// checkpoint. Files that are not there are said so.
func (wb *Workbench) RemoveFiles(ctx context.Context, paths []Path) ([]AddResult, error) {
	if wb.readOnly {
		return nil, readOnlyWorkbench()
	}
	var out []AddResult
	var removed []string
	err := func() error {
		if err := wb.lockWrite(ctx); err != nil {
			return err
		}
		defer wb.writeMu.Unlock()
		var targets []target
		for _, p := range paths {
			r := AddResult{SourcePath: string(p), FileName: string(p), Status: "removed"}
			hash, err := wb.freshHash(ctx, p)
			switch {
			case err != nil:
				r.Status, r.Reason = "rejected", err.Error()
			case hash == "":
				r.Status, r.Reason = "rejected", "not_found"
			default:
				targets = append(targets, target{path: p, kind: rowGone, oldHash: hash})
				removed = append(removed, string(p))
			}
			out = append(out, r)
		}
		if len(targets) == 0 {
			return nil
		}
		return wb.carryOut(ctx, intent{id: wb.newID(), reason: ReasonRemove, at: wb.now().UTC(), targets: targets})
	}()
	if err == nil && len(removed) > 0 {
		wb.emit(Event{Kind: "files", Removed: removed})
	}
	return out, err
}
