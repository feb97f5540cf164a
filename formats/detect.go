package formats

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
)

// Set is the formats a program knows, by kind.
type Set struct{ byKind map[Kind]*Format }

// NewSet makes a Set; a later format of a kind replaces an earlier one.
func NewSet(fs ...*Format) *Set {
	s := &Set{byKind: map[Kind]*Format{}}
	for _, f := range fs {
		s.byKind[f.Kind] = f
	}
	return s
}

// Kind returns the format of kind k; a kind the set lacks gives a format that
// can do nothing.
func (s *Set) Kind(k Kind) *Format {
	if f := s.byKind[k]; f != nil {
		return f
	}
	return &Format{Kind: k}
}

// Detect picks the format of src, by its name and its content (KindOf). A file
// that its extension claims to be an office document but whose content is
// something else keeps the claimed kind, so that reading it says what is wrong
// rather than showing bytes.
func (s *Set) Detect(_ context.Context, src Source) (*Format, error) {
	k, err := KindOf(src, src.Size(), src.Name())
	if err != nil {
		return nil, err
	}
	return s.Kind(k), nil
}

var kindOfExt = map[string]Kind{
	".docx": KindDocx, ".docm": KindDocx, ".dotx": KindDocx, ".odt": KindODT,
	".xlsx": KindXlsx, ".xlsm": KindXlsx, ".xltx": KindXlsx,
	".pptx": KindPptx, ".pptm": KindPptx, ".potx": KindPptx, ".ppsx": KindPptx,
	".pdf": KindPDF,
}

func init() {
	for _, e := range strings.Fields(".txt .csv .md .json .xml .yaml .yml .html .xhtml .js .ts .py .java .go .rb .rs .c .cpp .h .css .sql .tsv .htm .log .jsonl .markdown .toml .ini .sh .tmx .tbx .xliff .xlf .srt .vtt .po .pot .properties .plan") {
		kindOfExt[e] = KindText
	}
	for _, e := range strings.Fields(".png .jpg .jpeg .gif .webp .svg") {
		kindOfExt[e] = KindImage
	}
}

// KindOfName is the kind that a file's extension promises, in any case;
// KindBinary where it promises none, so that the content decides (KindOf).
func KindOfName(name string) Kind {
	if k, ok := kindOfExt[strings.ToLower(path.Ext(name))]; ok {
		return k
	}
	return KindBinary
}

var mimeOfExt = map[string]string{
	".txt": "text/plain", ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".md": "text/markdown", ".plan": "text/markdown",
	".json": "application/json", ".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml", ".js": "text/javascript", ".css": "text/css", ".sql": "application/sql",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".odt":  "application/vnd.oasis.opendocument.text",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".docm": "application/vnd.ms-word.document.macroEnabled.12",
	".dotx": "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
	".xltx": "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
	".pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
	".potx": "application/vnd.openxmlformats-officedocument.presentationml.template",
	".ppsx": "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
	".pdf":  "application/pdf", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
	".gif": "image/gif", ".webp": "image/webp", ".svg": "image/svg+xml",
}

// MIMEOf is the media type of a file of a kind: the one that its extension has,
// otherwise the one of its kind.
func MIMEOf(name string, k Kind) string {
	if m, ok := mimeOfExt[strings.ToLower(path.Ext(name))]; ok {
		return m
	}
	switch k {
	case KindText:
		return "text/plain"
	case KindPDF:
		return "application/pdf"
	}
	return "application/octet-stream"
}

// Extensions lists the file extensions (with dot) that promise a kind other
// than binary, sorted.
func Extensions() []string {
	exts := slices.Collect(maps.Keys(kindOfExt))
	slices.Sort(exts)
	return exts
}
