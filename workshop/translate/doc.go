// Package translate turns documents into other languages: it takes the segments
// out of each, fills in what a person, the memory or the job has already, has an
// engine translate the rest, checks what comes back, and writes translated
// copies. Originals are never touched.
//
//	report, err := translate.Run(ctx, translate.Options{
//		To: []string{"en"}, Out: "translated", Formats: set,
//		Engine: machine.Pseudo{},
//	}, []string{"./contracts"})
//
// A translation that loses or doubles a tag or a placeholder is asked for
// again with the reason; one that stays wrong leaves its segment in the source
// language with a flag in the report, never a broken file (TR-03). Equal
// segments of a job are translated once (TR-05). One failing file does not stop
// the others. What is accepted is in the Ledger at once: a job that was killed
// goes on where it was, and a second run does again only what changed or failed
// (TR-01).
//
// Below are what a job is made of: machine (who translates), memory (what was
// translated before, with tmx), terms (glossaries and what stays), check (what
// is right), sentence, xliff and page (for people to review).
package translate
