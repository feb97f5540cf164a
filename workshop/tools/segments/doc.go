// Package segments has the tools for translating: get_segments reads the
// texts of a document, put_translations writes their translations.
package segments
