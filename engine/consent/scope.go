package consent

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"atelier/workshop"
)

// Scope is the set of files that could be sent. It has names only: an edited file is
// the same file.
type Scope struct {
	Files []string // sorted, each once
	Hash  string   // hex SHA-256 of them
	// Earlier are those of Files that are no longer in the workbench: the
	// conversation has content of them.
	Earlier []string
}

// with returns the scope with files of which those that it lacks are in the
// workbench no longer.
func (s Scope) with(earlier []string) Scope {
	if len(earlier) == 0 {
		return s
	}
	there := make(map[workshop.Path]bool, len(s.Files))
	for _, f := range s.Files {
		there[spelled(workshop.Path(f))] = true
	}
	var gone []string
	for _, f := range earlier {
		if !there[spelled(workshop.Path(f))] {
			gone = append(gone, f)
		}
	}
	if len(gone) == 0 {
		return s
	}
	out := NewScope(append(slices.Clone(s.Files), gone...))
	slices.Sort(gone)
	out.Earlier = slices.Compact(gone)
	return out
}

// and returns the scope with more names.
func (s Scope) and(names []string) Scope {
	if len(names) == 0 {
		return s
	}
	out := NewScope(append(slices.Clone(s.Files), names...))
	out.Earlier = s.Earlier
	return out
}

// NewScope makes the scope of files.
func NewScope(files []string) Scope {
	files = slices.Clone(files)
	slices.Sort(files)
	files = slices.Compact(files)
	h := sha256.New()
	h.Write([]byte("atelier egress scope 1\n"))
	for _, f := range files {
		h.Write([]byte(f))
		h.Write([]byte{0}) // in no path
	}
	return Scope{Files: files, Hash: hex.EncodeToString(h.Sum(nil))}
}
