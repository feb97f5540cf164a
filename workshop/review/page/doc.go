// Package page writes a review as one self-contained HTML page (RV-06).
//
//	err := page.Write(w, page.Report{Title: "contracts", Made: now, Files: files})
//
// The page loads nothing: its content security policy names its only style
// sheet and its only script by their hashes and allows pictures only as data
// URLs. Text of documents is escaped, and characters that are
// invisible or change the direction of text are spelled out. The page works
// without its script, with the keyboard, with a screen reader, in dark mode and
// on paper.
package page
