// Package pdf reads the text, outline and form fields of PDF files, and draws
// their pages.
//
//	f := pdf.Format(pdf.Options{CacheDir: dir, Timeout: 30 * time.Second})
//	info, err := f.Mapper.Map(ctx, src, formats.MapOptions{})                            // page_count, outline, form_fields, has_text …
//	t, err := f.Reader.Read(ctx, src, formats.Selector{Pages: "1-5"})
//	pic, err := pdf.Render(ctx, f, src, 1, 1.5)                                           // pic.PNG
//
// Small files can need unbounded memory and time, so the work is done in
// workers: this program, started again (see init in worker.go), which is killed
// at its limits of time and memory and when the context of a call ends. The
// messages to and from a worker are in wire.go, its operations in map.go,
// read.go, parts.go and render.go, and the pool of workers in pool.go.
//
// The engine in it is PDFium, compiled to WebAssembly, without access to files,
// network or clock of the host. The first worker takes seconds to start unless
// CacheDir has its compiled code.
//
// Built with the tag "purepdf", the package has no WebAssembly and reads with
// github.com/ledongthuc/pdf: less text, no pictures of pages.
package pdf
