// Package seekflate inflates deflate streams (RFC 1951) and can resume in the
// middle. The readers of the standard library cannot: to continue at another
// place in a large compressed part, they have to inflate it again from its start.
//
//	r := seekflate.NewReader(io.NewSectionReader(src, off, n))
//	r.MarkEvery(4<<20, func(m seekflate.Mark) { marks = append(marks, m) })
//	io.Copy(dst, r)
//	…
//	r = seekflate.Resume(io.NewSectionReader(src, off, n), marks[7]) // at marks[7].Offset of the inflated stream
//
// A mark is at the beginning of a deflate block and has the 32 KiB before it.
// Damaged input gives an error, never a panic, and no more output than the stream
// describes.
package seekflate
