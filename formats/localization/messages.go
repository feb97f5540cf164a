package localization

import (
	"errors"
	"strings"

	"atelier/formats"
	"atelier/formats/text"
)

const (
	maxBytes   = 6 << 20
	maxUnits   = 50_000
	maxMessage = 32 << 10 // bytes of one message
	maxNotes   = 8        // of one message
)

// splicers by the extension of a file's name.
var splicers = map[string]text.Splicer{
	".po":         {Find: findPO, Declared: declaredPO, Limit: maxBytes},
	".pot":        {Find: findPO, Declared: declaredPO, Limit: maxBytes},
	".xliff":      {Find: findXLIFF, Declared: declaredXML, Limit: maxBytes},
	".xlf":        {Find: findXLIFF, Declared: declaredXML, Limit: maxBytes},
	".json":       {Find: findJSON, Limit: maxBytes},
	".properties": {Find: findProperties, Limit: maxBytes},
}

// Extensions returns the endings of the names of files with messages.
func Extensions() []string {
	var out []string
	for ext := range splicers {
		out = append(out, ext)
	}
	return out
}

// Segmenter returns that for files with the extension ext; nil for one that is
// not in Extensions.
func Segmenter(ext string) formats.Segmenter {
	if sp, ok := splicers[ext]; ok {
		return sp
	}
	return nil
}

var errEmpty = errors.New("the text is empty")

func tooMany(name string) error {
	return formats.Errorf(formats.CodeTooLarge, "%s has more than %d messages; split it", name, maxUnits)
}

// splitEdges returns the blanks and line ends around a message, which a
// translation must have too.
func splitEdges(s string) (lead, core, tail string) {
	core = strings.TrimSpace(s)
	lead, tail, _ = strings.Cut(s, core)
	return lead, core, tail
}
