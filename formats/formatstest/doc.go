// Package formatstest has what the tests of every format share: the corpus of
// real documents, the schema validator, LibreOffice, and part-by-part
// comparison. Whatever is absent makes a test skip with a word that says what.
//
//	for _, path := range formatstest.Sample(t, "docx") { … }
//	formatstest.Validate(t, produced, original)
//	formatstest.LibreOfficeOpens(t, produced)
//	formatstest.SameParts(t, before, after, "xl/worksheets/sheet1.xml")
package formatstest
