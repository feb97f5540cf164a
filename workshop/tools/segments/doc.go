// Package segments has the tools that translate: the texts of a document out,
// their translations in.
package segments
