package terms

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"atelier/internal/xmlin"
)

// readTBX reads TermBase eXchange: version 2 (ISO 30042:2008; martif,
// termEntry, langSet, tig or ntig) and version 3 (ISO 30042:2019; tbx,
// conceptEntry, langSec, termSec, in the DCA or the DCT style).
func readTBX(r io.Reader) ([]concept, error) {
	d := xmlin.NewDecoder(r)
	var out []concept
	root := ""
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) && root != "" {
			return out, nil
		}
		if err != nil {
			return nil, d.At(err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		if root == "" {
			if root = e.Name.Local; root != "martif" && root != "tbx" && root != "TBX" {
				return nil, fmt.Errorf("the root element is <%s>; a TBX file has <martif> or <tbx>", root)
			}
		}
		if e.Name.Local != "termEntry" && e.Name.Local != "conceptEntry" {
			d.Renew()
			continue
		}
		c, err := readConcept(d)
		if err != nil {
			return nil, d.At(err)
		}
		if len(c.words) > 0 {
			out = append(out, c)
		}
		if len(out) > maxTerms {
			return nil, fmt.Errorf("line %d: a glossary holds at most %d terms; split it", d.Line(), maxTerms)
		}
		d.Renew()
	}
}

// conceptReader reads one termEntry or conceptEntry.
type conceptReader struct {
	d    *xmlin.Decoder
	c    concept
	lang string
	w    word // the term of the tig, ntig or termSec being read
}

func readConcept(d *xmlin.Decoder) (concept, error) {
	r := &conceptReader{d: d}
	err := d.Content(nil, r.element)
	return r.c, err
}

// element reads one element of a concept.
func (r *conceptReader) element(t xml.StartElement) (end func() error, err error) {
	name, kind := t.Name.Local, xmlin.Attr(t, "type")
	switch name {
	case "langSet", "langSec":
		if r.lang = xmlin.Attr(t, "lang"); r.lang == "" {
			err = fmt.Errorf("<%s> names no language (xml:lang)", name)
		}
		return xmlin.Enter, err
	case "tig", "ntig", "termSec":
		r.w = word{lang: r.lang}
		return r.endTerm, nil
	case "term":
		r.w.text, err = r.d.Text()
		r.w.lang = r.lang
		return nil, err
	}
	switch {
	case isStatus(name, kind):
		status, err := r.d.Text()
		r.w.forbidden = r.w.forbidden || isDeprecated(status)
		return nil, err
	case isNote(name, kind):
		text, err := r.d.Text()
		if r.c.note == "" {
			r.c.note = tidyTerm(text)
		}
		return nil, err
	}
	return xmlin.Enter, nil
}

func (r *conceptReader) endTerm() error {
	err := r.c.addWord(r.w)
	r.w = word{}
	return err
}

// isStatus reports whether an element says whether a term may be used.
func isStatus(name, kind string) bool {
	return name == "administrativeStatus" || name == "normativeAuthorization" ||
		name == "termNote" && (kind == "administrativeStatus" || kind == "normativeAuthorization")
}

// isNote reports whether an element describes a concept.
func isNote(name, kind string) bool {
	return name == "note" || name == "definition" || name == "descrip" && (kind == "definition" || kind == "context")
}

// isDeprecated reports whether a term's status (ISO 12620 administrativeStatus)
// forbids it: "deprecatedTerm-admn-sts", "supersededTerm-admn-sts".
func isDeprecated(status string) bool {
	s := strings.ToLower(strings.TrimSpace(status))
	return strings.HasPrefix(s, "deprecated") || strings.HasPrefix(s, "superseded") || strings.HasPrefix(s, "notrecommended")
}
