package looks

import (
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// runLook reads the properties of a run.
func (lb *Book) runLook(elem string) (l Look) {
	p := strings.Index(elem, "rPr")
	if p <= 0 {
		return l
	}
	if to := strings.LastIndex(elem, "rPr>"); to > p {
		lb.font([]byte(elem[strings.LastIndexByte(elem[:p], '<'):to+4]), &l)
	}
	return l
}

// Runs says the formats within a text: those of its runs (18.4.4), and what is
// written over it to say how it is read (18.4.6).
func (lb *Book) Runs(raw string) string {
	if raw == "" {
		return "one format within the text"
	}
	var out []string
	for rest := raw; ; {
		i := strings.Index(rest, "<")
		if i < 0 {
			break
		}
		rest = rest[i:]
		name := string(sheetml.LocalName([]byte(rest[1:])))
		if name != "r" && name != "rPh" && name != "phoneticPr" {
			rest = rest[1:]
			continue
		}
		open := rest[:strings.IndexByte(rest+">", '>')]
		tag := strings.TrimRight(strings.Fields(open + " ")[0], ">/")[1:]
		end := strings.Index(rest, "</"+tag+">")
		if end < 0 || strings.HasSuffix(open, "/") {
			out = append(out, name)
			rest = rest[1:]
			continue
		}
		elem := rest[:end]
		rest = rest[end+1:]
		text := book.Clip(book.OneLine(sheetml.PlainText([]byte(elem))), 40)
		if name == "rPh" {
			out = append(out, "reading aid")
			continue
		}
		l := lb.runLook(elem)
		out = append(out, "“"+text+"” "+l.Say())
	}
	return book.Clip(strings.Join(out, "; "), 300)
}
