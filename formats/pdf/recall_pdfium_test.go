//go:build !purepdf

package pdf

// minRecall is the share of pdftotext's words that a readable document yields.
const minRecall = 0.7

// canRender reports whether this build draws pages.
const canRender = true
