// Package convert makes files of other formats: Markdown becomes a document, a
// sheet a csv file, an office file a pdf.
package convert
