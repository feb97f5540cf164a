package textdiff

// SmallWindows makes the windows small, so that short texts need many of
// them. It returns a function that restores their size.
func SmallWindows(bytes int64, lines, block int) func() {
	b, l, k := windowBytes, windowLines, blockLines
	windowBytes, windowLines, blockLines = bytes, lines, block
	return func() { windowBytes, windowLines, blockLines = b, l, k }
}
