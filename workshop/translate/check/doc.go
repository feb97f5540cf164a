// Package check compares a translation with its source (TR-06): tags,
// placeholders, numbers, terms, lengths, and signs that it is not a translation.
//
//	rules := check.Rules{From: "en", To: "es", Glossary: g}
//	target, _ := check.Repair(seg.Text, answer)
//	for _, f := range rules.Check(seg, target) {
//		// f.Message: "the number 1,250 is missing …"
//	}
//
// A finding has one of three weights. Refuse: the translation would break the
// document or lose something that must stay. Retry: it is probably wrong and
// worth another request, but still better than the source. Neither: a person
// should look at it. Languages differ, so only what is wrong in every language
// is refused.
package check
