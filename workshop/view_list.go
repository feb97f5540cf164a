package workshop

import (
	"context"
	"errors"
	"io/fs"
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
	opened, err := openDir(v.wb.root, rootName(dir))
	if err != nil {
		return nil, storageFault(err)
	}
	defer opened.Close()
	out, err := v.listBelow(ctx, opened, dir, opt)
	if err != nil {
		return nil, err
	}
	if err := v.wb.loadKnown(ctx); err != nil {
		return nil, err
	}
	v.wb.mu.RLock()
	for i := range out {
		k, ok := v.wb.known[out[i].Path]
		out[i].identify(k, ok)
	}
	v.wb.mu.RUnlock()
	sortEntries(out)
	return out, nil
}

// listBelow lists what is in a folder, with hashes where opt wants them.
func (v published) listBelow(ctx context.Context, opened *openedDir, dir Path, opt ListOptions) ([]Entry, error) {
	found := blockList{noStat: opt.NoHash}
	if err := v.walk(ctx, opened, dir, opt.Recursive, &found); err != nil {
		return nil, storageFault(err)
	}
	if opt.NoHash {
		return found.entries(), nil
	}
	all := found.all()
	if err := v.wb.hashListed(ctx, all); err != nil {
		return nil, err
	}
	out := make([]Entry, len(all))
	for i := range all {
		out[i] = all[i].Entry
	}
	return out, nil
}

// blockList collects entries in blocks: a slice that grows copies entries and holds
// several times the memory of a long list.
type blockList struct {
	noStat bool // fs.FileInfo is not needed
	blocks [][]listed
	count  int
}

const blockEntries = 512

// add returns the entry's place, which stays.
func (b *blockList) add(l listed) *listed {
	if b.noStat {
		l.st = nil
	}
	n := len(b.blocks) - 1
	if n < 0 || len(b.blocks[n]) == cap(b.blocks[n]) {
		size := blockEntries
		if n < 0 {
			size = 16 // most folders are small
		}
		b.blocks = append(b.blocks, make([]listed, 0, size))
		n++
	}
	b.blocks[n] = append(b.blocks[n], l)
	b.count++
	return &b.blocks[n][len(b.blocks[n])-1]
}

func (b *blockList) all() []listed {
	out := make([]listed, 0, b.count)
	for i, l := range b.blocks {
		out = append(out, l...)
		b.blocks[i] = nil
	}
	return out
}

func (b *blockList) entries() []Entry {
	out := make([]Entry, 0, b.count)
	for i, block := range b.blocks {
		for j := range block {
			out = append(out, block[j].Entry)
		}
		b.blocks[i] = nil
	}
	return out
}

// walk adds what is in a folder, and below it. What goes while it looks is left
// out; a folder that may not be read is said to be so.
func (v published) walk(ctx context.Context, opened *openedDir, dir Path, recursive bool, out *blockList) error {
	items, err := readItems(opened, dir)
	if err != nil {
		return err
	}
	for i, it := range items {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		st, err := opened.lstat(it.Name)
		if err != nil {
			continue
		}
		at := out.add(listed{v.withKind(v.entry(it.Path, st), opened, it.Name, st), st})
		if !recursive || !st.IsDir() {
			continue
		}
		sub, err := opened.folder(it.Name)
		if err == nil {
			err = v.walk(ctx, sub, it.Path, true, out)
			sub.Close()
		}
		switch {
		case err == nil, errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, fs.ErrPermission):
			at.Refused = "unreadable"
		default:
			return err
		}
	}
	return nil
}
