package textdiff

// SmallWindows makes the windows small, so that short texts cross many of them;
// it returns a function that makes them large again.
func SmallWindows(bytes int64, lines, block int) func() {
	b, l, k := windowBytes, windowLines, blockLines
	windowBytes, windowLines, blockLines = bytes, lines, block
	return func() { windowBytes, windowLines, blockLines = b, l, k }
}
