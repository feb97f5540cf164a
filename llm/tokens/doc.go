// Package tokens estimates how many tokens text and messages take, without the
// vocabulary of any model.
//
//	n := tokens.Count(text)
//	var g tokens.Gauge
//	g.Learn(n, counted) // what the endpoint reported
//	n = g.Of(n)         // the corrected estimate
package tokens
