// Package tags is the text form of formatted paragraphs that translators and
// models see: numbered tags stand for formatting they must keep but need not
// understand.
//
//	Click <1>here</1> to open <2/>page 3.
//
// <n>…</n> encloses text of other formatting than the paragraph's; <n/> stands
// for something that is not text (a picture, a field, a note mark). Numbers
// begin at 1 and are unique in a segment. A literal '<' or '&' of the document
// is written &lt; or &amp;; nothing else is escaped.
package tags
