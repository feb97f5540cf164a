// Package translator is what translates: one interface over language models, the
// rule-based translator Apertium, and the built-in pseudo-translation.
//
//	eng, err := machine.NewModel(machine.ModelOptions{Client: client, Model: "gpt-5", APIKey: key})
//	usage, err := eng.Translate(ctx, batch, func(id, target string) error {
//		return check(id, target) // nil: accepted; else the reason, which the engine may use to ask again
//	})
//
// Engines know nothing of documents, memory or files: a batch goes in, targets
// come out one by one.
package translator
