// Package seekflate inflates deflate streams (RFC 1951) and can start again in
// their middle. The readers of the standard library cannot: what has once been
// read of a large compressed part must be inflated again from its start to read
// on at another place.
//
//	r := seekflate.NewReader(io.NewSectionReader(src, off, n))
//	r.MarkEvery(4<<20, func(m seekflate.Mark) { marks = append(marks, m) })
//	io.Copy(dst, r)
//	…
//	r = seekflate.Resume(io.NewSectionReader(src, off, n), marks[7]) // at marks[7].Offset of the inflated stream
//
// A mark stands where a deflate block begins and holds the 32 KiB before it.
// Damaged input gives an error, never a panic, and no more output than the
// stream describes.
package seekflate
