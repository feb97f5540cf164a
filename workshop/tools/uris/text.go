package uris

import (
	"strings"

	"atelier/workshop"
)

// MaxBytes is the most bytes a file may have to be read (S-12, C-40).
const MaxBytes = 1 << 20

// textTypes are the media types outside text/* that are text (S-07). yaml and
// sql are text/* elsewhere.
var textTypes = map[string]bool{
	"application/json": true, "application/markdown": true, "application/xml": true,
	"application/javascript": true, "application/x-typescript": true, "application/yaml": true, "application/sql": true,
}

// IsText reports whether a media type, parameters and all, is text; none is.
func IsText(mime string) bool {
	mime, _, _ = strings.Cut(mime, ";")
	mime = strings.ToLower(strings.TrimSpace(mime))
	return mime == "" || strings.HasPrefix(mime, "text/") || textTypes[mime]
}

// unknownType is the media type of a name that tells nothing: the content
// decides then.
const unknownType = "application/octet-stream"

// Text is how a file becomes text, its bytes decoded and nothing else.
type Text func(workshop.Path) (string, error)

// ReadText gives the text of a file as it is (S-08). logical is how messages
// name the file.
func ReadText(e workshop.Entry, logical string, text Text) (string, error) {
	switch {
	case e.IsDir:
		return "", workshop.Faultf(workshop.Invalid, "%s is a folder, not a file", logical).OnField("uri")
	case e.Refused != "":
		return "", workshop.Faultf(workshop.Invalid, "%s is not a file that can be read: %s", logical, e.Refused).OnField("uri")
	case !IsText(e.MIME) && e.MIME != unknownType:
		return "", notText(logical, e.MIME)
	case e.Size > MaxBytes:
		return "", tooLarge(logical, e.Size)
	}
	s, err := text(e.Path)
	switch {
	case err != nil:
		return "", err
	case len(s) > 3*MaxBytes: // it grew in the meantime; U+FFFD has three bytes
		return "", tooLarge(logical, int64(len(s)))
	case e.MIME == unknownType && strings.ContainsAny(s, "\x00\uFFFD"):
		return "", notText(logical, e.MIME)
	}
	return s, nil
}

func notText(logical, mime string) error {
	return workshop.Faultf(workshop.Invalid, "File at %s has non-text MIME type (%s); read tool supports only text files", logical, mime).OnField("uri")
}

func tooLarge(logical string, size int64) error {
	return workshop.Faultf(workshop.Invalid, "File at %s is too large for read tool (size=%d bytes, limit=%d)", logical, size, MaxBytes).OnField("uri")
}
