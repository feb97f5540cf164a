//go:build purepdf

package pdf

// minRecall asks nothing: this engine glues words together in many files.
const minRecall = -1.0

// canRender reports whether this build draws pages.
const canRender = false
