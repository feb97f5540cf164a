package agent

import (
	"atelier/llm/models"
	"atelier/llm/tokens"
	"atelier/workshop/tools/brief"
)

// How tools are described to the model.
const (
	ToolsFull  = models.ToolsFull
	ToolsSmall = models.ToolsSmall
)

// toolShare is the part of the window that whole descriptions of tools may take,
// one in so many, before short ones take their place.
const toolShare = 3

// shortTools gives the model its tools in short if it has a small window. It
// reports whether they became shorter.
func (r *run) shortTools() bool {
	whole := r.cfg.Catalogue.Tools()
	if _, done := r.cfg.Catalogue.(*brief.Catalogue); done || r.cfg.Tools == ToolsFull {
		return false
	}
	were := tokens.OfTools(whole)
	if r.cfg.Tools != ToolsSmall && (r.cfg.Window <= 0 || were*toolShare <= r.cfg.Window) {
		return false
	}
	c := brief.Of(r.cfg.Catalogue)
	are := tokens.OfTools(c.Tools())
	if are*2 > were { // of few or simple tools nothing would be won
		return false
	}
	r.cfg.Catalogue = c
	r.emit(EventToolsReduced, ToolsReduced{r.wb.ID(), r.cfg.Model, were, are, r.cfg.Window})
	return true
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
