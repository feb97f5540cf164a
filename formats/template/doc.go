// Package template fills docx, xlsx and pptx templates from data.
//
//	tally := template.NewTally()
//	err := template.Fill(ctx, src, &out, []template.Record{{"client": "Acme"}}, template.Options{}, tally)
//
// Placeholders are {{name}}, ${name}, «name» and merge fields of Word; {name},
// [name] and [[name]] count where the data has that name. {{#if name}} …
// {{else}} … {{/if}} and {{#each items}} … {{/each}} (also {{#name}} … {{/name}})
// stand within a paragraph, around paragraphs or around rows.
//
// # How
//
// Structure comes first: blocks are repeated or left out, and each byte range of
// the new part keeps the data that it is for (expand.go). Then the text of each
// paragraph is filled once (inline.go), so that a value is never searched for
// placeholders. New text takes the formatting of the placeholder's first run.
package template
