package pptx

import (
	"context"
	"errors"

	"atelier/formats"
	xmltree "atelier/formats/ooxml/tree"
)

type node = xmltree.Node

// tree is a parsed part.
type tree struct {
	*xmltree.Tree
	part string
	// Where the part is edited:
	link  func(url string) string         // the relationship to an address
	leads func(id string) string          // where a relationship leads
	note  func(dropped bool, what string) // what becomes of a link while text is written
}

// parse returns the tree of a part; part is for messages.
func parse(ctx context.Context, part string, doc []byte) (*tree, error) {
	t, err := xmltree.Parse(ctx, doc, nil)
	switch {
	case err == nil:
		return &tree{Tree: t, part: part}, nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil, err
	}
	return nil, formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: %w", part, err)
}
