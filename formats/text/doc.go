// Package text reads plain text, Markdown and delimiter-separated files: their
// structure ([Format] Mapper), a window of their lines (Reader), and their
// translatable text (Segmenter).
//
//	f := text.Format()
//	info, err := f.Mapper.Map(ctx, src, formats.MapOptions{})                     // line_count, chunks, encoding …
//	t, err := f.Reader.Read(ctx, src, formats.Selector{LineStart: &from})
//	segs, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})             // .txt .md .csv .tsv
//
// Lines follow A-11: they end at "\n" (a preceding "\r" belongs to the
// terminator), and a final newline adds no line. Files are read as a stream, so
// their size is not limited; results are bounded. The encoding is detected: a
// byte order mark, UTF-16 by its zero bytes, UTF-8 when valid, else
// Windows-1252, -1250, -1251, KOI8-R or Shift JIS by the letters that result.
// Replace writes in the encoding and with the line ends that it found; bytes
// outside the replaced segments stay as they were.
package text
