// Package office has the tools that apply operations to xlsx, docx and pptx
// files.
package office
