// Package pdf reads the text, outline and form fields of PDF files, and draws
// their pages.
//
//	f := pdf.Format(pdf.Options{CacheDir: dir})
//	info, err := f.Mapper.Map(ctx, src, formats.MapOptions{})                            // page_count, outline, form_fields, has_text …
//	t, err := f.Reader.Read(ctx, src, formats.Selector{Pages: "1-5"})
//	pic, err := pdf.Render(ctx, f, src, 1, 1.5)                                           // pic.PNG
//
// The work is done by PDFium, compiled to WebAssembly and run inside the
// process without access to files, network or clock of the host. It starts at
// the first use and takes seconds unless CacheDir has its compiled code. A call
// gives up when its context is done, in the middle of a page if it must.
//
// Built with the tag "purepdf", the package has no WebAssembly and reads with
// github.com/ledongthuc/pdf: less text, no outline of encrypted files. That
// library can loop for ever on a bad file. It then runs in a goroutine that is
// given up after a time limit, since Go cannot end one from outside: the call
// returns, the goroutine may stay until the process ends.
package pdf
