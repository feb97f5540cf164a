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
		c, err := readConcept(d, e.Name.Local)
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

func readConcept(d *xmlin.Decoder, name string) (concept, error) {
	var c concept
	lang := ""
	var w word // the term of the tig, ntig or termSec being read
	for {
		tok, err := d.Token()
		if err != nil {
			return c, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "langSet", "langSec":
				if lang = xmlin.Attr(t, "lang"); lang == "" {
					return c, fmt.Errorf("<%s> names no language (xml:lang)", t.Name.Local)
				}
			case "tig", "ntig", "termSec":
				w = word{lang: lang}
			case "term":
				if w.text, err = d.Text(); err != nil {
					return c, err
				}
				w.lang = lang
			case "termNote", "administrativeStatus", "normativeAuthorization":
				if kind := xmlin.Attr(t, "type"); t.Name.Local == "termNote" && kind != "administrativeStatus" && kind != "normativeAuthorization" {
					continue
				}
				status, err := d.Text()
				if err != nil {
					return c, err
				}
				w.forbidden = w.forbidden || isDeprecated(status)
			case "descrip", "note", "definition":
				if kind := xmlin.Attr(t, "type"); t.Name.Local == "descrip" && kind != "definition" && kind != "context" {
					continue
				}
				text, err := d.Text()
				if err != nil {
					return c, err
				}
				if c.note == "" {
					c.note = tidyTerm(text)
				}
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "tig", "ntig", "termSec":
				if err := c.addWord(w); err != nil {
					return c, err
				}
				w = word{}
			case name:
				return c, nil
			}
		}
	}
}

// isDeprecated reports whether a term's status (ISO 12620 administrativeStatus)
// forbids it: "deprecatedTerm-admn-sts", "supersededTerm-admn-sts".
func isDeprecated(status string) bool {
	s := strings.ToLower(strings.TrimSpace(status))
	return strings.HasPrefix(s, "deprecated") || strings.HasPrefix(s, "superseded") || strings.HasPrefix(s, "notrecommended")
}
