// Package preview draws pages of documents as pictures, for a person who
// compares a draft with what is published (RV-04). It calls no model and no
// network (RV-05).
//
//	m := preview.New(set, preview.Options{CacheDir: dir})
//	p, err := m.Page(ctx, src, preview.Request{Page: 0, Scale: 1})
//	os.WriteFile("page.png", p.PNG, 0o644)
//
// A pdf is drawn by the built-in engine. Office files go through LibreOffice
// where it is installed: once for each content, since its pdf is kept in a
// bounded cache. Everything else, and office files without LibreOffice, are
// drawn as plain text, and the result says so. Images are scaled. Cells draws a
// block of cells of a workbook, Recognize reads the text of a page from its looks.
package preview
