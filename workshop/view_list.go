package workshop

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// listed is an entry with what its hash can be looked up by.
type listed struct {
	Entry
	st fs.FileInfo
}

// List walks a folder at a time, relative to its own handle: looking each file
// up from the root would cost as much again for each folder above it.
func (v published) List(ctx context.Context, dir Path, opt ListOptions) ([]Entry, error) {
	if err := v.wb.checkRoot(); err != nil {
		return nil, err
	}
	if dir != "" {
		st, err := v.wb.lstat(dir)
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			return nil, Faultf(Invalid, "%s is a file, not a folder", dir)
		}
	}
	root, err := v.wb.root.OpenRoot(rootName(dir))
	if err != nil {
		return nil, storageFault(err)
	}
	defer root.Close()
	var found []listed
	if err := v.walk(ctx, root, dir, opt.Recursive, &found); err != nil {
		return nil, storageFault(err)
	}
	if !opt.NoHash {
		if err := v.wb.hashListed(ctx, found); err != nil {
			return nil, err
		}
	}
	if err := v.wb.loadKnown(ctx); err != nil {
		return nil, err
	}
	out := make([]Entry, len(found))
	v.wb.mu.RLock()
	for i := range found {
		out[i] = found[i].Entry
		k, ok := v.wb.known[out[i].Path]
		out[i].identify(k, ok)
	}
	v.wb.mu.RUnlock()
	sortEntries(out)
	return out, nil
}

// walk adds what is in a folder, and below it. What goes while it looks is left
// out; a folder that may not be read is said to be so.
func (v published) walk(ctx context.Context, root *os.Root, dir Path, recursive bool, out *[]listed) error {
	items, err := readItems(root, dir)
	if err != nil {
		return err
	}
	for i, it := range items {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		st, err := root.Lstat(it.Name)
		if err != nil {
			continue
		}
		*out = append(*out, listed{v.withKind(v.entry(it.Path, st), root, it.Name, st), st})
		if !recursive || !st.IsDir() {
			continue
		}
		at := len(*out) - 1
		sub, err := root.OpenRoot(it.Name)
		if err == nil {
			err = v.walk(ctx, sub, it.Path, true, out)
			sub.Close()
		}
		switch {
		case err == nil, errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, fs.ErrPermission):
			(*out)[at].Refused = "unreadable"
		default:
			return err
		}
	}
	return nil
}
