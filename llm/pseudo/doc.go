// Package pseudo is the built-in offline model. It needs no key and no network
// and plays a model's part through the same interface and the same tools: asked
// to translate, it lists the files, pages through get_segments and answers with
// put_translations; its translations are pseudo-translations, text that is
// visibly processed and still readable. In a run in phases it researches which
// files there are, plans an item for each and translates them one by one. A
// conversation that gets too long it sums up by what was asked and which files
// were worked with.
//
//	var client llm.Client = pseudo.New()
//	pseudo.Translate("Translated text") // "[Ţŕåñšļåţéð ţéχţ~~]"
//
// # Promises
//
//   - An answer is a function of the messages and the tools alone: the same
//     request gives the same answer, so recordings and tests are stable.
//   - Inline tags, placeholders, numbers, URLs, e-mail addresses and code stay
//     as they are.
//   - It says what it is and what it could not do.
package pseudo
