// Package page writes the result of a translation job as one self-contained HTML
// page: figures, and the source and target of every document side by side, with
// the findings that a person should look at first (TR-06).
//
//	err := page.Write(w, page.Report{Title: "contracts", Made: now, Files: files})
//
// Rows are streamed, so that memory use does not depend on the number of
// documents. All rows with flags are written, and as many others as Limits allow;
// the page says how many it left out.
//
// The page loads nothing: its content security policy names its only style
// sheet and its only script by their hashes. Text of documents is escaped, and
// characters that are invisible or change the direction of text are spelled out.
// Filters work without the script, which adds the search. Everything works with
// the keyboard, with a screen reader, in dark mode and on paper.
package page
