package formats

import (
	"context"
	"errors"
)

// Set holds the formats that a program supports, by kind.
type Set struct {
	// Language is that of the programs with which the person opens documents, a BCP 47
	// tag such as "en-US"; "" when it is not known. Workbooks whose values show no language are
	// calculated in it.
	Language string

	byKind map[Kind]*Format
}

// NewSet makes a Set; a later format of a kind replaces an earlier one.
func NewSet(fs ...*Format) *Set {
	s := &Set{byKind: map[Kind]*Format{}}
	for _, f := range fs {
		s.byKind[f.Kind] = f
	}
	return s
}

// Kind returns the format of kind k; a kind that is missing in the set returns
// a format without capabilities.
func (s *Set) Kind(k Kind) *Format {
	if f := s.byKind[k]; f != nil {
		return f
	}
	return &Format{Kind: k}
}

// Prepare has the formats do ahead what their first call would wait for.
func (s *Set) Prepare(ctx context.Context) error {
	var errs []error
	for _, f := range s.byKind {
		if p, ok := f.Reader.(Preparer); ok {
			errs = append(errs, p.Prepare(ctx))
		}
	}
	return errors.Join(errs...)
}

// Detect picks the format of src, by its name and its content (KindOf). A file
// that its extension claims to be an office document but whose content is
// something else keeps the claimed kind, so that reading it says what is wrong
// rather than showing bytes.
func (s *Set) Detect(_ context.Context, src Source) (*Format, error) {
	k, err := KindOf(src, src.Size(), src.Name())
	if err != nil {
		return nil, err
	}
	return s.Kind(k), nil
}
