package engine

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/workshop"
)

const (
	foldersMax = 1000   // folders of an answer
	namesMax   = 50_000 // names of a folder that are looked at
)

// FoldersListParams are the params of FoldersList.
type FoldersListParams struct {
	Path string `json:"path,omitempty"` // default: the user's home
}

// FoldersListResult is the result of FoldersList.
type FoldersListResult struct {
	Path    string       `json:"path"`   // the folder that was listed, absolute
	Parent  string       `json:"parent"` // the folder around it; "" if there is none
	Folders []FolderName `json:"folders"`
	Files   int          `json:"files"`             // files in it, without hidden ones
	Omitted bool         `json:"omitted,omitempty"` // it has more folders than are listed
}

// FolderName is a folder that can be opened.
type FolderName struct {
	Name string `json:"name"`
	Path string `json:"path"` // absolute
}

// foldersList lists the folders in a folder of this machine, by name, without hidden
// ones, so that a client without a file dialog lets the user choose one.
func (e *Engine) foldersList(_ context.Context, p FoldersListParams) (FoldersListResult, error) {
	path := p.Path
	if path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return FoldersListResult{}, validation("path is required: the home of the user is not known")
		}
		path = home
	}
	if !filepath.IsAbs(path) {
		return FoldersListResult{}, validation("path must be absolute, such as /home/you/documents")
	}
	path = filepath.Clean(path)
	i, err := os.Stat(path)
	if err == nil && !i.IsDir() { // before it is opened: a pipe would wait
		return FoldersListResult{}, workshop.Faultf(workshop.Invalid, "%s is not a folder", path)
	}
	if err != nil {
		return FoldersListResult{}, folderFault(path, err)
	}
	d, err := os.Open(path)
	if err != nil {
		return FoldersListResult{}, folderFault(path, err)
	}
	defer d.Close()
	r := FoldersListResult{Path: path, Folders: []FolderName{}}
	if up := filepath.Dir(path); up != path {
		r.Parent = up
	}
	for seen := 0; ; {
		list, err := d.ReadDir(512)
		seen += len(list)
		for _, entry := range list {
			if strings.HasPrefix(entry.Name(), ".") {
				continue
			}
			at := filepath.Join(path, entry.Name())
			if !leadsToFolder(entry, at) {
				r.Files++
			} else if len(r.Folders) < foldersMax {
				r.Folders = append(r.Folders, FolderName{entry.Name(), at})
			} else {
				r.Omitted = true
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return FoldersListResult{}, folderFault(path, err)
		}
		if seen >= namesMax {
			r.Omitted = true
			break
		}
	}
	slices.SortFunc(r.Folders, func(a, b FolderName) int {
		if c := strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return r, nil
}

// leadsToFolder reports whether an entry is a folder or a link to one.
func leadsToFolder(entry os.DirEntry, path string) bool {
	if entry.Type()&os.ModeSymlink == 0 {
		return entry.IsDir()
	}
	i, err := os.Stat(path)
	return err == nil && i.IsDir()
}

func folderFault(path string, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return workshop.Unknownf("there is no folder %s", path)
	case errors.Is(err, os.ErrPermission):
		return workshop.Faultf(workshop.Invalid, "you may not read the folder %s", path)
	}
	return workshop.Faultf(workshop.Internal, "the folder %s cannot be read: %w", path, err)
}
