// Package libreoffice converts documents with LibreOffice, where it is
// installed, to calculate formulas and to draw pages. It uses separate folders
// and its own profile, so that a running LibreOffice is not disturbed.
//
//	if libreoffice.Installed() {
//		pdf, err := libreoffice.Convert(ctx, "in.docx", "pdf", dir)
//	}
package libreoffice
