// Package spend counts what requests to models take, in tokens, money and time,
// and keeps them within the limits of a budget.
//
//	m, err := spend.NewBoundMeter(spend.Options{
//		Owner: "This translation", Budget: spend.Budget{Tokens: 100_000}, Model: name, Now: time.Now,
//	}, usedByTheWorkbench)
//	client = m.Client(client) // its requests keep to the limits
//	if over := m.Over(); over != nil { … }
//
// A run, which can ask a person for more, looks at Meter.Limits itself before
// each request and counts it with Meter.Add. Log stores what each request took
// in the workbench.
package spend
