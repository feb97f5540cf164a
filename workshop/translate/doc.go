// Package translate turns documents into another language: it takes the
// segments out of each, has a model translate them in batches through the
// put_translations tool, checks what comes back, and writes translated copies.
// Originals are never touched.
//
//	report, err := translate.Run(ctx, translate.Options{
//		To: []string{"en"}, Out: "translated", Formats: set,
//		Client: client, Model: "gpt-5", APIKey: key,
//	}, []string{"./contracts"})
//
// A translation that loses or doubles a tag or a placeholder is asked for
// again with the reason; one that stays wrong leaves its segment in the source
// language with a flag in the report, never a broken file (TR-03). Equal
// segments of a document are translated once (TR-05). One failing file does
// not stop the others. A second run does again only what changed or failed
// (TR-01).
package translate
