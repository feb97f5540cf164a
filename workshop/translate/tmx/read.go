package tmx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"atelier/internal/xmlin"
)

// Reader reads the units of a file.
type Reader struct {
	d       *xmlin.Decoder
	srcLang string
}

// Limits of a unit.
const (
	maxVariants = 500
	maxTags     = 10_000 // of a segment
)

// NewReader reads up to the first unit. The error names the line.
func NewReader(r io.Reader) (*Reader, error) {
	t := &Reader{d: xmlin.NewDecoder(r), srcLang: AllLanguages}
	root := false
	for {
		tok, err := t.d.Token()
		if err != nil {
			if errors.Is(err, io.EOF) && !root {
				return nil, errors.New("the file is empty; a TMX file was expected")
			}
			return nil, t.d.At(err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch {
		case !root && e.Name.Local != "tmx":
			return nil, fmt.Errorf("the root element is <%s>; a TMX file has <tmx>", e.Name.Local)
		case e.Name.Local == "tmx":
			root = true
		case e.Name.Local == "header":
			if s := xmlin.Attr(e, "srclang"); s != "" {
				t.srcLang = s
			}
		case e.Name.Local == "body":
			return t, nil
		}
	}
}

// SrcLang returns the file's source language; "*all*" if it names none.
func (t *Reader) SrcLang() string { return t.srcLang }

// Line returns the current line of the reader, 1-based.
func (t *Reader) Line() int { return t.d.Line() }

// Next returns the next unit, or io.EOF after the last.
func (t *Reader) Next() (Unit, error) {
	for {
		t.d.Renew()
		tok, err := t.d.Token()
		if err != nil {
			return Unit{}, t.d.At(err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			if e.Name.Local != "tu" {
				continue
			}
			u, err := t.unit(e)
			if err != nil {
				return u, t.d.At(err)
			}
			return u, nil
		case xml.EndElement:
			if e.Name.Local == "body" || e.Name.Local == "tmx" {
				return Unit{}, io.EOF
			}
		}
	}
}

func (t *Reader) unit(e xml.StartElement) (Unit, error) {
	u := Unit{ID: xmlin.Attr(e, "tuid"), SrcLang: xmlin.Attr(e, "srclang"), Changed: changeDate(e), By: authorOf(e)}
	if u.SrcLang == "" {
		u.SrcLang = t.srcLang
	}
	marks := marks{}
	err := t.d.Content(nil, func(e xml.StartElement) (func() error, error) {
		switch e.Name.Local {
		case "note", "prop":
			return nil, t.remark(e, &u.Notes, &u.Props)
		case "tuv":
			v, err := t.variant(e, marks)
			if err == nil && len(u.Variants) == maxVariants {
				err = fmt.Errorf("a unit has more than %d variants", maxVariants)
			}
			u.Variants = append(u.Variants, v)
			return nil, err
		}
		return xmlin.Enter, nil
	})
	return u, err
}

func (t *Reader) remark(e xml.StartElement, notes *[]string, props *[]Prop) error {
	text, err := t.d.Text()
	if err != nil {
		return err
	}
	if e.Name.Local == "note" {
		*notes = append(*notes, text)
	} else {
		*props = append(*props, Prop{xmlin.Attr(e, "type"), text})
	}
	return nil
}

func (t *Reader) variant(e xml.StartElement, marks marks) (Variant, error) {
	v := Variant{Lang: strings.TrimSpace(xmlin.Attr(e, "lang")), Changed: changeDate(e), By: authorOf(e)}
	if v.Lang == "" {
		return v, errors.New("<tuv> names no language (xml:lang)")
	}
	err := t.d.Content(nil, func(e xml.StartElement) (end func() error, err error) {
		switch e.Name.Local {
		case "note", "prop":
			err = t.remark(e, &v.Notes, &v.Props)
		case "seg":
			v.Text, v.Plain, err = t.segment(marks)
		default:
			end = xmlin.Enter
		}
		return end, err
	})
	return v, err
}

// changeDate returns the date of an element's last change, or else of its
// creation. Invalid dates are ignored.
func changeDate(e xml.StartElement) time.Time {
	for _, name := range []string{"changedate", "creationdate"} {
		for _, layout := range []string{stamp, "20060102T150405", time.RFC3339, "20060102"} {
			if at, err := time.Parse(layout, strings.TrimSpace(xmlin.Attr(e, name))); err == nil {
				return at.UTC()
			}
		}
	}
	return time.Time{}
}

func authorOf(e xml.StartElement) string {
	if by := xmlin.Attr(e, "changeid"); by != "" {
		return by
	}
	return xmlin.Attr(e, "creationid")
}
