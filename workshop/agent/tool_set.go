package agent

import (
	"context"
	"strings"

	"atelier/llm/models"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/tools/brief"
)

// How tools are described to the model.
const (
	ToolsFull  = models.ToolsFull
	ToolsSmall = models.ToolsSmall
)

// toolShare is the part of the window that descriptions of tools may take, one in so
// many, before short ones take their place.
const toolShare = 3

// chooseTools decides how the tools are described for the whole run, so that its
// requests begin alike: operations on the kinds of documents that the folder has with
// all their members, the others in short; all in short in a small window.
func (r *run) chooseTools(ctx context.Context, view workshop.View) error {
	if _, done := r.cfg.Catalogue.(*brief.Catalogue); done || r.cfg.Tools == ToolsFull {
		return nil
	}
	if r.cfg.Tools != ToolsSmall {
		kinds, err := kindsOf(ctx, view)
		if err != nil {
			return readError("the files of the workbench cannot be listed", err)
		}
		c := brief.For(r.cfg.Catalogue, func(tool string) bool { return kinds[strings.TrimSuffix(tool, operationsSuffix)] })
		if worthwhile(c, r.cfg.Catalogue) {
			r.cfg.Catalogue = c
		}
		if r.cfg.Window <= 0 || tokens.OfTools(r.cfg.Catalogue.Tools())*toolShare <= r.cfg.Window {
			return nil
		}
	}
	r.shortTools()
	return nil
}

// operationsSuffix ends the names of the tools that take operations on one kind of
// document.
const operationsSuffix = "_operations"

// kindsOf returns the kinds of the files of a view.
func kindsOf(ctx context.Context, view workshop.View) (map[string]bool, error) {
	_, sum, err := filesIn(ctx, view)
	kinds := map[string]bool{}
	for _, d := range sum.folders {
		for kind := range d.kinds {
			kinds[kind] = true
		}
	}
	return kinds, err
}

// worthwhile reports whether shorter descriptions are worth a call for the rest; of few
// or simple tools they are not.
func worthwhile(c *brief.Catalogue, than brief.Whole) bool {
	return tokens.OfTools(c.Tools())*3 <= tokens.OfTools(than.Tools())*2
}

// shortTools gives the model all its tools in short. It reports whether they became
// shorter.
func (r *run) shortTools() bool {
	whole := r.cfg.Catalogue
	if b, ok := whole.(*brief.Catalogue); ok {
		whole = b.Whole
	}
	c := brief.Of(whole)
	if r.cfg.Tools == ToolsFull || r.short || !worthwhile(c, whole) {
		return false
	}
	were, are := tokens.OfTools(r.cfg.Catalogue.Tools()), tokens.OfTools(c.Tools())
	r.cfg.Catalogue, r.short = c, true
	if are < were {
		r.emit(EventToolsReduced, ToolsReduced{r.wb.ID(), r.cfg.Model, were, are, r.cfg.Window})
	}
	return are < were
}

// resultMax returns the most bytes of a tool result in a window, so that one result
// leaves room for another and the answer.
func resultMax(limit, window int) int {
	const least = 2 << 10
	if window <= 0 {
		return limit
	}
	return min(limit, max(window/2, least)) // an eighth of the window, at four bytes to a token
}
