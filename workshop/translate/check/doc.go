// Package check looks at a translation beside its source (TR-06): tags,
// placeholders, numbers, terms, lengths, and signs that it is none.
//
//	rules := check.Rules{From: "en", To: "es", Glossary: g}
//	target, _ := check.Repair(seg.Text, answer)
//	for _, f := range rules.Check(seg, target) {
//		// f.Message: "the number 1,250 is missing …"
//	}
//
// A finding of one of three weights: Refuse, the translation would break the
// document or lose something that must stay; Retry, it is probably wrong and
// worth asking for again, but better than the source if it stays; neither,
// something for a person to glance at. Languages differ, so only what is wrong
// in every language is refused.
package check
