package spend

import (
	"atelier/llm/models"
	"atelier/workshop"
)

// Totals is the sum of what several requests to models took, for clients.
type Totals struct {
	Requests      int64   `json:"requests"`
	Failed        int64   `json:"failed_requests"`
	Open          int64   `json:"open_requests"`      // no answer came yet, or ever
	Estimated     int64   `json:"estimated_requests"` // the endpoint did not say what it counted
	Unpriced      int64   `json:"unpriced_requests"`  // they are not in costs, since no price was known
	InputTokens   int64   `json:"input_tokens"`
	CachedTokens  int64   `json:"cached_tokens"`            // of input_tokens, from the endpoint's cache
	WrittenTokens int64   `json:"written_tokens,omitempty"` // of input_tokens, into the endpoint's cache
	OutputTokens  int64   `json:"output_tokens"`
	Costs         []Money `json:"costs,omitempty"` // by currency
}

// Money is an amount in a currency, which may have no name.
type Money struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// NewTotals converts the sums that a workbench keeps.
func NewTotals(s workshop.UsageSum) Totals {
	t := Totals{s.Requests, s.Failed, s.Open, s.Estimated, s.Unpriced, s.Input, s.Cached, s.Written, s.Output, nil}
	for _, c := range s.Costs {
		t.Costs = append(t.Costs, Money{models.Nano(c.Amount).Amount(), c.Currency})
	}
	return t
}
