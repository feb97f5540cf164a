// Package page writes a review as one self-contained HTML page (RV-06).
//
//	err := page.Write(w, page.Report{Title: "contracts", Made: now, Files: files})
//
// The page needs nothing from outside and may fetch nothing: its content
// security policy names its one style sheet and its one script by their hashes
// and lets in pictures only as data. Whatever comes from a document is text
// (html/template escapes it), and characters that would hide or turn text round
// are spelled out. It works without its script, from the keyboard, read aloud,
// in the dark and on paper.
package page
