// Package page writes what a translation job did as one self-contained HTML
// page for people: figures, and every document's source and target side by
// side, with what they should look at first (TR-06).
//
//	err := page.Write(w, page.Report{Title: "contracts", Made: now, Files: files})
//
// Rows come as a stream and are written as they come, so that memory stays flat
// over any number of documents. Rows with flags are all written; of the others
// as many as Limits say, and the page says how many it left out.
//
// The page needs nothing from outside and may fetch nothing: its content
// security policy names its one style sheet and its one script by their hashes.
// What comes from a document is text, and characters that would hide it or turn
// it round are spelled out. Filters work without the script, which adds the
// search; everything works from the keyboard and read aloud, in the dark and on
// paper.
package page
