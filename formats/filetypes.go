package formats

import (
	"path"
	"slices"
	"strings"
)

// FileType is what the extension of a file's name says about the file.
type FileType struct {
	Ext  string // with dot, lower case
	Kind Kind
	// MIME is the media type; "" is the one of the kind.
	MIME string
	// InFolders says that translating a folder includes these files. Source code,
	// and data that is as often configuration (JSON, properties), are translated
	// only when a person names the file.
	InFolders bool
}

// fileTypes are the extensions with a kind. A new text format has its row here,
// and one in package all when its text can be translated.
var fileTypes = []FileType{
	{".docx", KindDocx, "application/vnd.openxmlformats-officedocument.wordprocessingml.document", true},
	{".docm", KindDocx, "application/vnd.ms-word.document.macroEnabled.12", true},
	{".dotx", KindDocx, "application/vnd.openxmlformats-officedocument.wordprocessingml.template", true},
	{".odt", KindODT, "application/vnd.oasis.opendocument.text", false},
	{".xlsx", KindXlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", true},
	{".xlsm", KindXlsx, "application/vnd.ms-excel.sheet.macroEnabled.12", true},
	{".xltx", KindXlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.template", true},
	{".pptx", KindPptx, "application/vnd.openxmlformats-officedocument.presentationml.presentation", true},
	{".pptm", KindPptx, "application/vnd.ms-powerpoint.presentation.macroEnabled.12", true},
	{".potx", KindPptx, "application/vnd.openxmlformats-officedocument.presentationml.template", true},
	{".ppsx", KindPptx, "application/vnd.openxmlformats-officedocument.presentationml.slideshow", true},
	{".pdf", KindPDF, "application/pdf", false},

	{".png", KindImage, "image/png", false},
	{".jpg", KindImage, "image/jpeg", false},
	{".jpeg", KindImage, "image/jpeg", false},
	{".gif", KindImage, "image/gif", false},
	{".webp", KindImage, "image/webp", false},
	{".svg", KindImage, "image/svg+xml", false},

	{".txt", KindText, "text/plain", true},
	{".log", KindText, "", false},
	{".md", KindText, "text/markdown", true},
	{".markdown", KindText, "", true},
	{".plan", KindText, "text/markdown", false},
	{".csv", KindText, "text/csv", true},
	{".tsv", KindText, "text/tab-separated-values", true},
	{".html", KindText, "text/html", true},
	{".htm", KindText, "text/html", true},
	{".xhtml", KindText, "application/xhtml+xml", true},
	{".srt", KindText, "", true},
	{".vtt", KindText, "", true},
	{".po", KindText, "", true},
	{".pot", KindText, "", true},
	{".xliff", KindText, "", true},
	{".xlf", KindText, "", true},
	{".tmx", KindText, "", false},
	{".tbx", KindText, "", false},
	{".json", KindText, "application/json", false},
	{".jsonl", KindText, "", false},
	{".properties", KindText, "", false},
	{".xml", KindText, "application/xml", false},
	{".yaml", KindText, "application/yaml", false},
	{".yml", KindText, "application/yaml", false},
	{".toml", KindText, "", false},
	{".ini", KindText, "", false},

	{".js", KindText, "text/javascript", false},
	{".css", KindText, "text/css", false},
	{".sql", KindText, "application/sql", false},
	{".ts", KindText, "", false},
	{".py", KindText, "", false},
	{".java", KindText, "", false},
	{".go", KindText, "", false},
	{".rb", KindText, "", false},
	{".rs", KindText, "", false},
	{".c", KindText, "", false},
	{".cpp", KindText, "", false},
	{".h", KindText, "", false},
	{".sh", KindText, "", false},
}

var typeByExt = func() map[string]FileType {
	by := make(map[string]FileType, len(fileTypes))
	for _, t := range fileTypes {
		by[t.Ext] = t
	}
	return by
}()

// TypeOfName returns the type that the extension of a file's name promises, in
// any case. An unknown extension gives KindBinary; then the content decides
// (KindOf).
func TypeOfName(name string) FileType {
	ext := strings.ToLower(path.Ext(name))
	if t, ok := typeByExt[ext]; ok {
		return t
	}
	return FileType{Ext: ext, Kind: KindBinary}
}

// KindOfName returns the kind of TypeOfName.
func KindOfName(name string) Kind { return TypeOfName(name).Kind }

// MIMEOf returns the media type of a file of a kind: the one of its extension,
// else the one of its kind.
func MIMEOf(name string, k Kind) string {
	if t := TypeOfName(name); t.MIME != "" {
		return t.MIME
	}
	switch k {
	case KindText:
		return "text/plain"
	case KindPDF:
		return "application/pdf"
	}
	return "application/octet-stream"
}

// Extensions returns the extensions with a kind other than binary, sorted.
func Extensions() []string {
	exts := make([]string, 0, len(fileTypes))
	for _, t := range fileTypes {
		exts = append(exts, t.Ext)
	}
	slices.Sort(exts)
	return exts
}
