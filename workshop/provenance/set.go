package provenance

import (
	"context"
	"maps"
	"slices"
	"sync"

	"atelier/workshop"
)

// Set gathers sources. The zero value is empty; it is safe for concurrent use.
type Set struct {
	mu     sync.Mutex // protects the fields below
	files  map[string]struct{}
	docs   map[workshop.DocPath]struct{}
	found  map[workshop.Path]struct{}
	sorted []string // of files; nil when it must be made anew
}

// Add adds files, by their paths or the names that a scope has for them.
func (s *Set) Add(files ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range files {
		if _, ok := s.files[f]; ok {
			continue
		}
		if s.files == nil {
			s.files = map[string]struct{}{}
		}
		s.files[f], s.sorted = struct{}{}, nil
	}
}

// AddDoc adds a file that is open in the user's editor, whose name Resolve finds.
func (s *Set) AddDoc(doc workshop.DocPath) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs == nil {
		s.docs = map[workshop.DocPath]struct{}{}
	}
	s.docs[doc] = struct{}{}
}

// addFound adds files that a search found something in.
func (s *Set) addFound(paths ...workshop.Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil {
		s.found = map[workshop.Path]struct{}{}
	}
	for _, p := range paths {
		s.found[p] = struct{}{}
	}
}

// Resolve names what was added by other things than names: docs names files that
// are open in the editor, found gives the sources of those that a search found
// something in.
func (s *Set) Resolve(docs func(workshop.DocPath) string, found func(workshop.Path) []string) {
	s.mu.Lock()
	d, f := slices.Collect(maps.Keys(s.docs)), slices.Collect(maps.Keys(s.found))
	s.docs, s.found = nil, nil
	s.mu.Unlock()
	for _, doc := range d {
		s.Add(docs(doc))
	}
	for _, p := range f {
		s.Add(found(p)...)
	}
}

// List returns the set, sorted; never nil. It must not be changed.
func (s *Set) List() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sorted == nil {
		s.sorted = append(make([]string, 0, len(s.files)), slices.Sorted(maps.Keys(s.files))...)
	}
	return s.sorted
}

// Without returns what of the set is not in another, sorted; never nil.
func (s *Set) Without(o *Set) []string {
	out := []string{}
	list := s.List()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range list {
		if _, ok := o.files[f]; !ok {
			out = append(out, f)
		}
	}
	return out
}

type (
	setKey     struct{}
	asideKey   struct{}
	requestKey struct{}
)

// With has Add, AddDoc and Found note in a set what is done under a context.
func With(ctx context.Context, s *Set) context.Context {
	return context.WithValue(ctx, setKey{}, s)
}

func of(ctx context.Context) *Set {
	s, _ := ctx.Value(setKey{}).(*Set)
	return s
}

// Aside lets a search read files without making each of them a source:
// the search says which were Found.
func Aside(ctx context.Context) context.Context {
	return context.WithValue(ctx, asideKey{}, true)
}

// Add notes sources in the set of a context; without one nobody wants to know.
func Add(ctx context.Context, files ...string) {
	if s := of(ctx); s != nil {
		s.Add(files...)
	}
}

// Opened notes a file that was opened, unless a search looks through it.
func Opened(ctx context.Context, p workshop.Path) {
	if !aside(ctx) {
		Found(ctx, p)
	}
}

func aside(ctx context.Context) bool {
	is, _ := ctx.Value(asideKey{}).(bool)
	return is
}

// Found notes files whose content a search gives.
func Found(ctx context.Context, paths ...workshop.Path) {
	if s := of(ctx); s != nil {
		s.addFound(paths...)
	}
}

// AddDoc notes a file that is open in the user's editor.
func AddDoc(ctx context.Context, doc workshop.DocPath) {
	if s := of(ctx); s != nil {
		s.AddDoc(doc)
	}
}

// Carrying says of the request to a model that is made under a context whose
// content it carries.
func Carrying(ctx context.Context, files []string) context.Context {
	return context.WithValue(ctx, requestKey{}, files)
}

// Carried returns what Carrying said; ok is false when nothing was.
func Carried(ctx context.Context) (files []string, ok bool) {
	files, ok = ctx.Value(requestKey{}).([]string)
	return files, ok
}
