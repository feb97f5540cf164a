package workshop

import (
	"context"
	"io"
)

// Batcher is a view that can put several files at once. Views of drafts are
// Batchers, and so is what Intercept makes of them.
type Batcher interface {
	// PutAll puts all of them or none, as one change.
	PutAll(ctx context.Context, puts []Put) ([]Entry, error)
}

// Put is one file of Batcher.PutAll; the members are those of View.Put.
type Put struct {
	Path    Path
	Options PutOptions
	Write   func(io.Writer) error
}

// PutAll implements Batcher.
func (v draftView) PutAll(ctx context.Context, puts []Put) ([]Entry, error) {
	rows := make([]row, len(puts))
	from := make([]copied, len(puts))
	for i, p := range puts {
		if p.Path == "" {
			return nil, Faultf(Invalid, "a file needs a name").OnField("path")
		}
		hash, size, err := v.wb.objects.put(ctx, v.wb.limits.FileBytes, p.Write)
		if err != nil {
			return nil, err
		}
		if from[i], err = v.keepCopied(ctx, p.Options.Copied); err != nil {
			return nil, err
		}
		rows[i] = row{kind: rowFile, hash: hash, size: size, modified: v.wb.now().UTC()}
	}
	if err := v.wb.lockWrite(ctx); err != nil {
		return nil, err
	}
	defer v.wb.writeMu.Unlock()
	all := make(map[Path]row, len(puts))
	entries := make([]Entry, len(puts))
	for i, p := range puts {
		if _, twice := all[p.Path]; twice {
			return nil, Faultf(Invalid, "%s is there twice", p.Path).OnField("path")
		}
		if err := v.checkPut(ctx, p.Path, p.Options); err != nil {
			return nil, err
		}
		r := rows[i]
		var err error
		if r.baseHash, err = v.base(ctx, p.Path); err != nil {
			return nil, err
		}
		if r.identity, err = v.identityOf(ctx, p.Path, p.Options); err != nil {
			return nil, err
		}
		r.copied = v.copiedFrom(p.Path, from[i])
		all[p.Path], entries[i] = r, v.wb.entryOf(p.Path, r)
	}
	return entries, v.commit(ctx, all)
}
