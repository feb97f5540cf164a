package sheetml

// Namespaces of SpreadsheetML and of relationship ids.
const (
	Namespace    = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	RelNamespace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)
