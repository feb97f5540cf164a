package translate

import (
	"fmt"
	"strings"

	"atelier/llm/models"
)

// Price of a model, in money per million tokens.
type Price struct {
	In, Cached, Written, Out float64 // Cached, Written: of those in, read from the endpoint's cache and written into it
	Currency                 string  // shown beside amounts; may be ""
}

// PriceOf is the price of a model; the zero value, which says that none is known,
// for nil.
func PriceOf(p *models.Price) Price {
	if p == nil {
		return Price{}
	}
	out := Price{Currency: p.Currency}
	out.In, out.Cached, out.Written, out.Out = p.Rates()
	return out
}

// Of is the cost of tokens; cached and written ones are of those in.
func (p Price) Of(in, cached, written, out int) float64 {
	return (float64(in-cached-written)*p.In + float64(cached)*p.Cached + float64(written)*p.Written + float64(out)*p.Out) / 1e6
}

// Show writes an amount with its currency.
func (p Price) Show(amount float64) string {
	return strings.TrimSpace(fmt.Sprintf("%.2f %s", amount, p.Currency))
}
