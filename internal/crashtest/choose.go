package crashtest

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// The files that operations use.
var (
	texts  = []string{"a.txt", "b.txt", "d/c.txt", "d/e/f.txt", "g/h/ñ 🙂.txt", "_x..y.csv"}
	office = []string{"book.xlsx", "d/letter.docx", "deck.pptx"}
)

// choose draws the next operation, one that should not be refused.
func (r *runner) choose() (op, error) {
	o, err := r.draw()
	r.log = append(r.log, o.String())
	return o, err
}

func (r *runner) draw() (op, error) {
	r.serial++
	text := fmt.Sprintf("%d %s", r.serial, strings.Repeat("x", r.rand.IntN(3000)))
	draft := r.model.draft()
	for {
		switch n := r.rand.IntN(124); {
		case n < 22:
			return op{Kind: opPut, Path: pick(r, texts), Text: text}, nil
		case n < 34:
			return op{Kind: opTool, Path: pick(r, office), Text: fmt.Sprintf("crashtest %d", r.serial)}, nil
		case n < 40 && len(draft) > 0:
			return op{Kind: opRemove, Path: pick(r, keys(draft))}, nil
		case n < 46 && len(draft) > 0:
			from := pick(r, keys(draft))
			to := fmt.Sprintf("moved/%d%s", r.serial%7, filepath.Ext(from))
			if _, taken := draft[to]; !taken {
				return op{Kind: opMove, Path: from, To: to}, nil
			}
		case n < 60 && len(r.model.rows) > 0:
			return op{Kind: opPublish, Paths: r.some()}, nil
		case n < 65 && len(r.model.rows) > 0:
			return op{Kind: opDiscard, Paths: r.some()}, nil
		case n < 69:
			return op{Kind: opCheckpoint}, nil
		case n < 76 && len(r.model.restores) > 0:
			return op{Kind: opRestore, ID: pick(r, keys(r.model.restores))}, nil
		case n < 84:
			return op{Kind: opSay, ID: fmt.Sprintf("u-%d", r.serial), Text: text}, nil
		case n < 91 && len(r.model.said) > 0:
			return op{Kind: opUndo, ID: pick(r, r.model.said)}, nil
		case n < 94:
			return op{Kind: opGC}, nil
		case n == 94:
			return op{Kind: opForget}, nil
		case n < 97:
			name := fmt.Sprintf("added %d.txt", r.serial)
			at := filepath.Join(r.host, name)
			return op{Kind: opAdd, Path: at, To: name, Text: text}, os.WriteFile(at, []byte(text), 0o600)
		case n < 100 && len(r.model.disk) > 0:
			if p := pick(r, keys(r.model.disk)); !r.drafted(p) {
				return op{Kind: opDrop, Path: p}, nil
			}
		case n >= 100 && n < 106:
			if p := pick(r, texts); !r.drafted(p) {
				return op{Kind: opLivePut, Path: p, Text: text}, nil
			}
		case n >= 106 && n < 109 && len(r.model.disk) > 0:
			if p := pick(r, keys(r.model.disk)); !r.drafted(p) {
				return op{Kind: opLiveRemove, Path: p}, nil
			}
		case n >= 109 && n < 112 && len(r.model.disk) > 0:
			p := pick(r, keys(r.model.disk))
			to := fmt.Sprintf("live/%d%s", r.serial%5, filepath.Ext(p))
			if r.model.disk[to] == "" && !r.drafted(p) && !r.drafted(to) {
				return op{Kind: opLiveMove, Path: p, To: to}, nil
			}
		case n >= 112:
			if all := r.folders(draft); len(all) > 0 {
				return r.rearranging(pick(r, all), len(draft)), nil
			}
		}
	}
}

// rearranging returns an operation on a folder of a draft with so many files.
func (r *runner) rearranging(folder string, files int) op {
	o := op{Kind: opMoveAll, Path: folder, To: fmt.Sprintf("tree %d", r.serial)}
	switch n := r.rand.IntN(3); {
	case n == 0 || files > 30:
		return op{Kind: opRemoveAll, Path: folder}
	case n == 1:
		o.Kind = opCopyAll
	}
	return o
}

// folders lists the folders of files that hold no file of the user's own.
func (r *runner) folders(files tree) []string {
	all := map[string]bool{}
	for p := range files {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			all[dir] = true
		}
	}
	for p := range r.mine {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			delete(all, dir)
		}
	}
	return keys(all)
}

// drafted reports whether the draft changes a path: changing it outside the
// draft would be a conflict.
func (r *runner) drafted(p string) bool {
	_, ok := r.model.rows[p]
	return ok
}

// some returns a random part of the draft's paths; none means all of them.
func (r *runner) some() []string {
	if r.rand.IntN(3) > 0 {
		return nil
	}
	all := keys(r.model.rows)
	r.rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return r.model.wholeRenames(all[:1+r.rand.IntN(len(all))])
}

func pick(r *runner, from []string) string { return from[r.rand.IntN(len(from))] }

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
