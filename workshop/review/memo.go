package review

import (
	"sync"

	"atelier/formats"
)

const (
	maxMemos     = 64
	maxMemoBytes = 512 << 10 // bytes of text in one stored diff
)

// memos holds the most recent diffs by content, because callers ask for a
// summary and then for the diff itself. Stored diffs are never modified.
var memos struct {
	sync.Mutex
	by    map[memoKey]*formats.Diff
	order []memoKey
}

type memoKey struct {
	old, new string // hashes
	kind     formats.Kind
	items    int
}

func diffMemoKey(before, after formats.Source, kind formats.Kind, opt formats.DiffOptions) memoKey {
	return memoKey{before.Hash(), after.Hash(), kind, opt.Limit()}
}

func (k memoKey) get() *formats.Diff {
	memos.Lock()
	defer memos.Unlock()
	return memos.by[k]
}

func (k memoKey) put(d *formats.Diff) {
	n := 0
	for _, g := range d.Groups {
		for _, it := range g.Items {
			n += len(it.Old) + len(it.New) + 200
		}
	}
	for _, f := range d.Facts {
		n += len(f.Old) + len(f.New) + len(f.Warning) + 200
	}
	if n > maxMemoBytes {
		return
	}
	memos.Lock()
	defer memos.Unlock()
	if memos.by[k] != nil {
		return
	}
	if memos.by == nil {
		memos.by = map[memoKey]*formats.Diff{}
	}
	if memos.by[k] = d; len(memos.order) == maxMemos {
		delete(memos.by, memos.order[0])
		memos.order = memos.order[1:]
	}
	memos.order = append(memos.order, k)
}
