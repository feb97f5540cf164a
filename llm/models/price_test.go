package models

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func price(t *testing.T, text string) *Price {
	var p Price
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	return &p
}

func TestCost(t *testing.T) {
	for _, c := range []struct {
		price                 string
		input, cached, output int64
		want                  float64
	}{
		{`{"input":1.25,"cached":0.125,"output":10}`, 1_000_000, 0, 0, 1.25},
		{`{"input":1.25,"cached":0.125,"output":10}`, 0, 0, 1_000_000, 10},
		{`{"input":1.25,"cached":0.125,"output":10}`, 1_000_000, 1_000_000, 0, 0.125},
		{`{"input":1.25,"cached":0.125,"output":10}`, 12_345, 10_000, 678, 0.01096125},
		{`{"input":3,"output":15}`, 1000, 400, 10, 0.00315}, // cached at the price of input
		{`{"input":0,"output":0}`, 1000, 400, 10, 0},
		{`{"input":1,"output":1}`, 1, 0, 0, 0.000001},
		{`{"input":0.05,"output":0.08}`, 1, 0, 1, 0.00000013},
		{`{"input":2,"cached":0,"output":0}`, 10, 50, 0, 0}, // never more from the cache than was sent
		{`{"input":2,"cached":1,"output":0}`, 10, -5, 0, 0.00002},
	} {
		require.Equal(t, NanoOf(c.want), price(t, c.price).Cost(c.input, c.cached, 0, c.output), "%+v", c)
	}
	// What is written into the cache costs a quarter more unless a price says otherwise.
	require.Equal(t, NanoOf(3.75+1), price(t, `{"input":3,"output":10}`).Cost(1_000_000, 0, 1_000_000, 100_000))
	require.Equal(t, NanoOf(0.5*3+0.3*0.3+0.2*4), price(t, `{"input":3,"cached":0.3,"written":4,"output":10}`).Cost(1_000_000, 300_000, 200_000, 0))
	require.Equal(t, NanoOf(3), price(t, `{"input":3,"cached":3,"output":10}`).Cost(1_000_000, 1_000_000, 500_000, 0), "never more than was sent")
	// Sums do not drift.
	sum, p := Nano(0), price(t, `{"input":0.1,"output":0.2}`)
	for range 1000 {
		sum += p.Cost(3, 0, 0, 7)
	}
	require.Equal(t, 0.0017, sum.Amount())
}

func TestPriceOfARule(t *testing.T) {
	var rules []Rule
	require.NoError(t, json.Unmarshal([]byte(`[
		{"model":"big*","price":{"input":2,"cached":1,"output":8,"currency":"USD"}},
		{"model":"big-house","price":{"input":0,"output":0}}]`), &rules))
	for _, r := range rules {
		require.NoError(t, r.Check())
	}
	table := Builtin().With(rules...)
	require.Equal(t, "USD", table.Lookup("big-one", "").Price.Currency)
	house := table.Lookup("big-house", "").Price
	require.Equal(t, Nano(0), house.Cost(5, 5, 0, 5), "a later price stands for the whole of an earlier one")
	require.Nil(t, table.Lookup("small", "").Price)
	for _, r := range table.Rules()[:len(Builtin().Rules())] {
		require.Nil(t, r.Price, "no price is built in")
	}
}

func TestBadPrices(t *testing.T) {
	for text, want := range map[string]string{
		`{"output":1}`:                                    "both input and output",
		`{"input":1}`:                                     "both input and output",
		`{"input":-1,"output":1}`:                         "from 0 to",
		`{"input":1,"output":1,"cached":-0.1}`:            "from 0 to",
		`{"input":1e9,"output":1}`:                        "from 0 to",
		`{"input":1,"output":1,"currency":"a long name"}`: "currency",
		`{"input":1,"output":1,"currency":"E\n"}`:         "currency",
	} {
		r := Rule{Model: "m", Settings: Settings{Price: price(t, text)}}
		require.ErrorContains(t, r.Check(), want, text)
	}
}

func TestMisspeltPrices(t *testing.T) {
	var p Price
	require.ErrorContains(t, json.Unmarshal([]byte(`{"input":1,"output":1,"cahced":1}`), &p), `price: json: unknown field "cahced"`)
	var r Rule
	require.ErrorContains(t, json.Unmarshal([]byte(`{"model":"m","price":{"input":"1"}}`), &r), "price: ")
}
