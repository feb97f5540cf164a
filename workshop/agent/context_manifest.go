package agent

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"atelier/internal/quote"
	"atelier/internal/textclip"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/search"
)

// The manifest is part of every request, so its size does not grow with the
// workbench: past manifestFiles files it names folders, past manifestFolders
// only the fullest of them.
const (
	manifestFiles   = 100
	manifestFolders = 40
	manifestName    = 200 // bytes of a name that are shown
)

// Names is how files are named to the model; the zero value names them by their
// paths.
type Names struct {
	What string                       // what the names are; "" is "path"
	Of   func(p workshop.Path) string // the name of a file; nil is its path
	List string                       // the tool that lists names; "" is list_files, "-" none
}

func (n Names) of(p workshop.Path) string {
	if n.Of == nil {
		return string(p)
	}
	return n.Of(p)
}

// manifest describes the files of a view: path, kind and size, never content
// (W-02).
func manifest(ctx context.Context, view workshop.View, names Names) (string, error) {
	files, sum, err := filesIn(ctx, view)
	switch {
	case err != nil:
		return "", err
	case sum.files == 0:
		return "The workbench holds no files yet.", nil
	case sum.files <= manifestFiles:
		return listed(files, names), nil
	}
	return sum.text(names), nil
}

// filesIn walks the files of a view. It returns the first of them, up to manifestFiles,
// and what all are by folder.
func filesIn(ctx context.Context, view workshop.View) (files []workshop.Entry, sum summary, err error) {
	sum.byPath = map[string]*folder{}
	err = search.Walk(ctx, view, search.WalkOptions{Recursive: true}, func(w search.Walked) (bool, error) {
		if w.IsDir {
			return true, nil
		}
		e, err := w.Entry(ctx)
		if err != nil || noFile(e) {
			return err == nil || workshop.IsFault(err, workshop.NotFound), ignoreGone(err)
		}
		if sum.add(e); len(files) < manifestFiles {
			files = append(files, e)
		}
		return true, nil
	})
	return files, sum, err
}

// ignoreGone returns nil for what has gone since it was listed.
func ignoreGone(err error) error {
	if workshop.IsFault(err, workshop.NotFound) {
		return nil
	}
	return err
}

// noFile reports whether the model is not told of an entry: folders, and what
// is never opened, such as links.
func noFile(e workshop.Entry) bool { return e.IsDir || e.IsSpecial() }

// manifestShare is the part of a window that a list of files may take, one in so
// many, before folders take its place.
const manifestShare = 8

// manifestIn returns the manifest for a window of so many tokens; 0 is not known.
func manifestIn(ctx context.Context, view workshop.View, names Names, window int) (string, error) {
	text, err := manifest(ctx, view, names)
	if err != nil || window <= 0 || names.List == "-" || tokens.Count(text) <= window/manifestShare {
		return text, err
	}
	_, sum, err := filesIn(ctx, view)
	if err != nil {
		return "", err
	}
	if short := sum.text(names); tokens.Count(short) < tokens.Count(text) {
		text = short
	}
	return text, nil
}

func listed(files []workshop.Entry, names Names) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "Files of the workbench (%s, kind, size):\n", cmp.Or(names.What, "path"))
	for _, f := range files {
		fmt.Fprintf(&sb, "- %s (%s, %d bytes)", showPath(names.of(f.Path)), f.Kind, f.Size)
		if f.Refused != "" {
			fmt.Fprintf(&sb, ", cannot be opened: %s", f.Refused)
		}
		if f.Withheld != "" {
			sb.WriteString(", not readable by you")
		}
		sb.WriteByte('\n')
	}
	return strings.TrimSuffix(sb.String(), "\n")
}

// folder sums up the files directly in one folder.
type folder struct {
	path  string
	files int
	size  int64
	kinds map[string]int
}

// summary sums up files by folder.
type summary struct {
	files   int
	byPath  map[string]*folder
	folders []*folder
}

func (s *summary) add(f workshop.Entry) {
	dir := path.Dir(string(f.Path))
	d := s.byPath[dir]
	if d == nil {
		d = &folder{path: dir, kinds: map[string]int{}}
		s.byPath[dir] = d
		s.folders = append(s.folders, d)
	}
	s.files++
	d.files++
	d.size += f.Size
	d.kinds[string(f.Kind)]++
}

func (s *summary) text(names Names) string {
	folders := s.folders
	slices.SortStableFunc(folders, func(a, b *folder) int { return cmp.Or(cmp.Compare(b.files, a.files), cmp.Compare(a.path, b.path)) })
	var sb strings.Builder
	fmt.Fprintf(&sb, "The workbench holds %d files, too many to name here. By folder:\n", s.files)
	for i, d := range folders {
		if i == manifestFolders {
			fmt.Fprintf(&sb, "- and %d more folders\n", len(folders)-i)
			break
		}
		name := showPath(d.path + "/")
		if d.path == "." {
			name = "(top folder)"
		}
		fmt.Fprintf(&sb, "- %s %d files (%s), %d bytes\n", name, d.files, kinds(d.kinds), d.size)
	}
	if names.List != "-" {
		fmt.Fprintf(&sb, "Call %s for the names.", cmp.Or(names.List, "list_files"))
	}
	return strings.TrimSuffix(sb.String(), "\n")
}

func kinds(n map[string]int) string {
	var parts []string
	for k, c := range n {
		parts = append(parts, fmt.Sprintf("%d %s", c, k))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// showPath writes a path on one line, quoted when it holds anything that could
// be taken for something else.
func showPath(p string) string {
	return quote.OneLine(textclip.HeadBytes(p, manifestName))
}
