package translate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/workshop"
)

// DraftOptions say what of a workbench is translated, and where to.
type DraftOptions struct {
	Paths []workshop.Path // files and folders; nil: all of it
	// Folder takes the translations, one folder in it for each language; "" puts
	// them in the originals' places, which takes a single language.
	Folder workshop.Path
	To     []string // as Options.To
	// Leave are files and folders of the job itself, such as its glossary and its
	// reports: they are translated only when Paths names them.
	Leave []workshop.Path
}

// inDraft are Documents of a workbench: translations go into its draft. In
// place the published files are the originals, so that a document is never
// translated twice; else what the draft shows.
type inDraft struct {
	opt   DraftOptions
	from  workshop.View
	draft workshop.View
}

// StateDir is where what the translation jobs of a workbench leave stands, never
// among the user's files: the ledger job.db, the translation memory memory.db.
func StateDir(wb *workshop.Workbench) string { return filepath.Join(wb.Dir(), "translate") }

// InDraft makes the Documents of a workbench.
func InDraft(wb *workshop.Workbench, opt DraftOptions) (Documents, error) {
	d := &inDraft{opt: opt, draft: wb.DraftView(workshop.Cause{Tool: "translate"})}
	d.from = d.draft
	if opt.Folder == "" {
		if len(opt.To) != 1 {
			return nil, workshop.Faultf(workshop.Invalid, "in place there can be one language, not %d; name a folder for them", len(opt.To))
		}
		d.from = wb.Published()
	}
	return d, nil
}

func (d *inDraft) List(ctx context.Context) ([]Document, error) {
	paths := d.opt.Paths
	if len(paths) == 0 {
		paths = []workshop.Path{""}
	}
	seen := map[workshop.Path]bool{}
	var docs []Document
	take := func(e workshop.Entry) {
		if !seen[e.Path] {
			seen[e.Path] = true
			docs = append(docs, Document{Path: string(e.Path), Rel: string(e.Path), Size: e.Size})
		}
	}
	for _, p := range paths {
		if p != "" {
			e, err := d.from.Stat(ctx, p)
			if err != nil {
				return nil, d.absent(ctx, p, err)
			}
			if !e.IsDir {
				take(e) // a file named by itself is always taken
				continue
			}
		}
		list, err := d.from.List(ctx, p, workshop.ListOptions{Recursive: true, NoHash: true})
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if !e.IsDir && !e.Virtual && e.Refused == "" && Wanted(e.Name()) && !hidden(e.Path) && !d.ours(e.Path) {
				take(e)
			}
		}
	}
	return docs, nil
}

// absent explains why a file that the draft has can't be translated in place.
func (d *inDraft) absent(ctx context.Context, p workshop.Path, err error) error {
	if d.opt.Folder == "" {
		if _, there := d.draft.Stat(ctx, p); there == nil {
			return workshop.Faultf(workshop.NotFound, "%s is only in the draft; publish it first, or translate into a folder", p)
		}
	}
	return err
}

func hidden(p workshop.Path) bool {
	return strings.HasPrefix(string(p), ".") || strings.Contains(string(p), "/.")
}

// ours reports whether a path is a translation or another file of the job.
func (d *inDraft) ours(p workshop.Path) bool {
	return d.opt.Folder != "" && below(p, d.opt.Folder) || slices.ContainsFunc(d.opt.Leave, func(l workshop.Path) bool { return p == l || below(p, l) })
}

func below(p, folder workshop.Path) bool { return strings.HasPrefix(string(p), string(folder)+"/") }

func (d *inDraft) Open(ctx context.Context, doc Document) (formats.SourceCloser, error) {
	return d.from.Open(ctx, workshop.Path(doc.Path))
}

func (d *inDraft) path(output string) workshop.Path {
	if d.opt.Folder == "" {
		return workshop.Path(output)
	}
	if len(d.opt.To) == 1 {
		output = d.opt.To[0] + "/" + output
	}
	return d.opt.Folder + "/" + workshop.Path(output)
}

func (d *inDraft) Where(output string) string { return string(d.path(output)) }

// Hash is that of the translation in the draft: in place, a published file is
// the original, not a translation in its way.
func (d *inDraft) Hash(ctx context.Context, output string) string {
	e, err := d.draft.Stat(ctx, d.path(output))
	if err != nil || d.opt.Folder == "" && !e.InDraft {
		return ""
	}
	return e.Hash
}

func (d *inDraft) Write(ctx context.Context, output string, write func(io.Writer) error, ready func(hash string) error) error {
	h := sha256.New()
	_, err := d.draft.Put(ctx, d.path(output), workshop.PutOptions{}, func(w io.Writer) error {
		if err := write(io.MultiWriter(w, h)); err != nil {
			return err
		}
		return ready(hex.EncodeToString(h.Sum(nil)))
	})
	return err
}

// advice implements adviser.
func (d *inDraft) advice(where string, changed bool) error {
	switch {
	case d.opt.Folder == "":
		return workshop.Faultf(workshop.Conflict, "%s has changes in the draft that no translation made; publish or discard them first, or translate into a folder", where)
	case changed:
		return workshop.Faultf(workshop.Conflict, "%s was changed since it was translated; move it away, or force its replacement", where)
	}
	return workshop.Faultf(workshop.Conflict, "%s is there already and was not written by a translation; choose another folder, or force its replacement", where)
}

// adviser is Documents with words of their own for an output that is in the way.
type adviser interface {
	advice(where string, changed bool) error
}

func (f *folders) advice(where string, changed bool) error {
	if changed {
		return fmt.Errorf("%s was changed since it was translated; move it away, or --force to replace it", where)
	}
	return fmt.Errorf("%s is there already and was not written by a translation; choose another --out, or --force to replace it", where)
}
