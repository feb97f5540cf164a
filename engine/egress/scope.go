package egress

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"atelier/workshop"
)

// Scope is the set of files that a model could be sent: what a consent is
// about. It knows names only: an edited file is the same file.
type Scope struct {
	Files []string // sorted, each once
	Hash  string   // hex SHA-256 of them
	// Earlier are those of Files that are there no longer: what was read of them
	// is in the conversation.
	Earlier []string
}

// With returns the scope with files that are there no longer, if they are not.
func (s Scope) With(earlier []string) Scope {
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

// And returns the scope with more names.
func (s Scope) And(names []string) Scope {
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

// Party is whom a consent is given to.
type Party struct {
	Provider string
	Origin   string // as OriginOf has it
	Model    string
}

type pathKey [16]byte

func keyOf(path string) pathKey {
	sum := sha256.Sum256([]byte(path))
	return pathKey(sum[:16])
}

// Grants are the files that parties may be sent. The zero value is none; it is
// not safe for concurrent use.
type Grants struct {
	m map[Party]map[pathKey]struct{}
}

// Add grants files to a party.
func (g *Grants) Add(p Party, files []string) {
	if g.m == nil {
		g.m = map[Party]map[pathKey]struct{}{}
	}
	if g.m[p] == nil {
		g.m[p] = map[pathKey]struct{}{}
	}
	for _, f := range files {
		g.m[p][keyOf(f)] = struct{}{}
	}
}

// Any reports whether anything was granted to a party, be it for no files.
func (g *Grants) Any(p Party) bool { return g.m[p] != nil }

// Missing returns the files of a list that were not granted to a party.
func (g *Grants) Missing(p Party, files []string) []string {
	var out []string
	for _, f := range files {
		if _, ok := g.m[p][keyOf(f)]; !ok {
			out = append(out, f)
		}
	}
	return out
}

// Merge adds the grants of another.
func (g *Grants) Merge(o *Grants) {
	for p, set := range o.m {
		g.Add(p, nil)
		for k := range set {
			g.m[p][k] = struct{}{}
		}
	}
}

// Revoke takes back what matches: empty fields of p match all.
func (g *Grants) Revoke(p Party) (n int) {
	for q := range g.m {
		if (p.Provider == "" || p.Provider == q.Provider) && (p.Model == "" || p.Model == q.Model) {
			delete(g.m, q)
			n++
		}
	}
	return n
}
