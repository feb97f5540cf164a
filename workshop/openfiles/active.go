// Package openfiles holds the files that a person has open in an editor, as the
// editor sent them (AGN-007, section 3.1). Such a copy is newer than the
// workbench's: tools take it for the truth and never write it, that is the
// editor's part.
//
//	var l active.List
//	err := l.Set([]active.File{{DocPath: "Repo/A.cs", Content: "…", IsActive: true}}, false)
//	f, ok := l.Get("repo/a.cs")
//	files := l.All()
//
// The list lives as long as the session; the editor sends it again after that.
package openfiles

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"atelier/internal/quote"
	"atelier/workshop"
)

// The most a session may hold.
const (
	MaxFiles = 1000
	MaxBytes = 64 << 20 // of all contents together
)

// Elsewhere begins the name by which an open file that is none of the workbench's
// goes among those that are: no path has a colon and a space so.
const Elsewhere = "open in the editor: "

// inlineMax is the size from which a file is not shown whole in a prompt (F-14).
const inlineMax = 100 << 10

// File is an open file (F-10). Members that a later client may add are ignored
// (F-37).
type File struct {
	DocPath     string `json:"docPath"`     // lower case once it is in a List
	DisplayPath string `json:"displayPath"` // what the editor calls it; informational
	SizeBytes   int64  `json:"sizeBytes"`   // of the content as UTF-8; computed, never taken over
	IsDirty     bool   `json:"isDirty"`     // it has changes that were not saved
	IsActive    bool   `json:"isActive"`    // false: listed, but the workbench's copy counts (F-11)
	Content     string `json:"-"`
}

// SHA256 returns the lowercase hex SHA-256 of the content.
func (f File) SHA256() string {
	sum := sha256.Sum256([]byte(f.Content))
	return hex.EncodeToString(sum[:])
}

// List is the active files of a session. The zero value is empty; it is safe
// for concurrent use.
type List struct {
	mu    sync.Mutex // protects files
	files map[workshop.DocPath]File

	whole *List // of which this one shows a part; it has no files itself then
	shows func(File) bool
}

// Only returns the files of l that pass, as l changes. It is for reading.
func (l *List) Only(pass func(File) bool) *List { return &List{whole: l, shows: pass} }

// Set puts files into the list: instead of what is there, or with merge beside
// it, where a file with the same docPath is replaced (F-02). A list that is not
// acceptable changes nothing.
func (l *List) Set(files []File, merge bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := map[workshop.DocPath]File{}
	if merge {
		maps.Copy(next, l.files)
	}
	for i, f := range files {
		doc, err := workshop.ParseDocPath(f.DocPath)
		if err != nil {
			return workshop.Faultf(workshop.Invalid, "files[%d]: %w", i, err).OnField("files")
		}
		f.DocPath, f.SizeBytes = string(doc), int64(len(f.Content))
		next[doc] = f
	}
	var total int64
	for _, f := range next {
		total += f.SizeBytes
	}
	switch {
	case len(next) > MaxFiles:
		return workshop.Faultf(workshop.Invalid, "a session holds at most %d active files", MaxFiles).OnField("files")
	case total > MaxBytes:
		return workshop.Faultf(workshop.Invalid, "the active files of a session have at most %d bytes together; these have %d", MaxBytes, total).OnField("files")
	}
	l.files = next
	return nil
}

// Remove takes files out; those that are not there are left out in silence.
func (l *List) Remove(docPaths []string) error {
	var docs []workshop.DocPath
	for _, s := range docPaths {
		doc, err := workshop.ParseDocPath(s)
		if err != nil {
			return err
		}
		docs = append(docs, doc)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, doc := range docs {
		delete(l.files, doc)
	}
	return nil
}

// Get returns the file that is the truth for a docPath: one that is in the list and
// active (F-11, F-20). A nil list has none.
func (l *List) Get(doc workshop.DocPath) (File, bool) {
	if l == nil {
		return File{}, false
	}
	if l.whole != nil {
		f, ok := l.whole.Get(doc)
		return f, ok && l.shows(f)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.files[doc]
	return f, ok && f.IsActive
}

// All lists the files by docPath.
func (l *List) All() []File {
	out := []File{}
	if l == nil {
		return out
	}
	if l.whole != nil {
		return slices.DeleteFunc(l.whole.All(), func(f File) bool { return !l.shows(f) })
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.files {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b File) int { return cmp.Compare(a.DocPath, b.DocPath) })
	return out
}

// Prompt describes the list for a model (F-12), and gives the contents of as
// many active files as fit into room bytes; the others are named as skipped
// (F-14). It is "" when the list is empty.
func (l *List) Prompt(room int) string {
	files := l.All()
	if len(files) == 0 {
		return ""
	}
	var head, body, skipped strings.Builder
	head.WriteString("Active files of this session (docPath, displayPath, sizeBytes, isDirty). Their content here is newer than the workspace's copy:\n")
	for _, f := range files {
		fmt.Fprintf(&head, "- docPath=%s displayPath=%s sizeBytes=%d isDirty=%v", quote.OneLine(f.DocPath), quote.OneLine(f.DisplayPath), f.SizeBytes, f.IsDirty)
		if !f.IsActive {
			head.WriteString(" isActive=false (read the workspace's copy)\n")
			continue
		}
		head.WriteByte('\n')
		if f.SizeBytes > inlineMax || int(f.SizeBytes)+body.Len() > room {
			fmt.Fprintf(&skipped, "- %s (%d bytes)\n", quote.OneLine(f.DocPath), f.SizeBytes)
			continue
		}
		fmt.Fprintf(&body, "\nContent of %s:\n%s\n", quote.OneLine(f.DocPath), fenced(f.Content))
	}
	if skipped.Len() > 0 {
		fmt.Fprintf(&body, "\nSkipped, since they are too large to show here:\n%s", skipped.String())
	}
	return strings.TrimSuffix(head.String()+body.String(), "\n")
}

// fenced puts content between marks that do not occur in it.
func fenced(s string) string {
	mark := "```"
	for strings.Contains(s, mark) {
		mark += "`"
	}
	return mark + "\n" + strings.TrimSuffix(s, "\n") + "\n" + mark
}
