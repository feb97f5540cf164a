package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"atelier/internal/lazyregexp"
)

// Price of a model's tokens, in money per million of them. None is built in:
// prices change, and differ by contract. Zero is a price: a model of one's own.
type Price struct {
	Input    *float64 `json:"input"`              // tokens sent; required
	Cached   *float64 `json:"cached,omitempty"`   // of them, read from the endpoint's cache; Input when nil
	Written  *float64 `json:"written,omitempty"`  // of them, written into the endpoint's cache; a quarter more than Input when nil
	Output   *float64 `json:"output"`             // tokens answered; required
	Currency string   `json:"currency,omitempty"` // a word such as EUR, shown beside amounts
}

// UnmarshalJSON refuses members it does not know: a misspelt one would make a
// wrong sum.
func (p *Price) UnmarshalJSON(b []byte) error {
	type plain Price
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(p)); err != nil {
		return fmt.Errorf("price: %w", err)
	}
	return nil
}

// maxPrice keeps sums of money far from the end of their numbers.
const maxPrice = 1e6

var currencyWord = lazyregexp.New(`^[\pL\p{Sc}]{0,8}$`)

// Check reports what is wrong with a price that a user wrote.
func (p *Price) Check() error {
	if p == nil {
		return nil
	}
	for _, v := range []*float64{p.Input, p.Output} {
		if v == nil {
			return errors.New("price: want both input and output, money per million tokens")
		}
	}
	for _, v := range []*float64{p.Input, p.Cached, p.Written, p.Output} {
		if v != nil && !(*v >= 0 && *v <= maxPrice) {
			return errors.New("price: want amounts from 0 to 1000000 per million tokens")
		}
	}
	if !currencyWord.MatchString(p.Currency) {
		return errors.New(`price: want a short word such as "EUR" as currency`)
	}
	return nil
}

// Nano is money in thousand-millionths of a currency's unit, so that sums are
// exact.
type Nano int64

// NanoOf returns the nearest Nano to an amount.
func NanoOf(amount float64) Nano { return Nano(math.Round(amount * 1e9)) }

// Amount in the currency's unit.
func (n Nano) Amount() float64 { return float64(n) / 1e9 }

// writing is what Anthropic takes for a token written into its cache, of the price of
// one sent. Endpoints that take nothing more do not count such tokens.
const writing = 1.25

// Rates returns the prices of a million tokens: sent, read from the cache, written
// into it, answered.
func (p *Price) Rates() (input, cached, written, output float64) {
	input, output = *p.Input, *p.Output
	cached, written = input, writing*input
	if p.Cached != nil {
		cached = *p.Cached
	}
	if p.Written != nil {
		written = *p.Written
	}
	return input, cached, written, output
}

// Cost of a request: tokens sent, those of them from the cache and into it, and
// answered.
func (p *Price) Cost(input, cached, written, output int64) Nano {
	cached = min(max(cached, 0), input)
	written = min(max(written, 0), input-cached)
	in, read, made, out := p.Rates()
	// A token at 1 per million costs a thousand nano.
	return Nano(math.Round(1000 * (float64(input-cached-written)*in + float64(cached)*read + float64(written)*made + float64(output)*out)))
}
