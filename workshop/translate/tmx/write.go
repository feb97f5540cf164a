package tmx

import (
	"bufio"
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"atelier/formats/tags"
)

// Header describes a file.
type Header struct {
	SrcLang string // "" is "*all*"
	Tool    string // creationtool
	Version string // creationtoolversion
}

// Writer writes a file.
type Writer struct {
	w *bufio.Writer
}

// NewWriter starts a file in UTF-8. Close ends it.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	if h.SrcLang == "" {
		h.SrcLang = AllLanguages
	}
	t := &Writer{bufio.NewWriter(w)}
	t.writeParts(`<?xml version="1.0" encoding="UTF-8"?>`, "\n", `<!DOCTYPE tmx SYSTEM "tmx14.dtd">`, "\n", `<tmx version="1.4">`, "\n<header")
	t.writeAttr("creationtool", h.Tool)
	t.writeAttr("creationtoolversion", h.Version)
	t.writeParts(` segtype="block" o-tmf="atelier" adminlang="en"`)
	t.writeAttr("srclang", h.SrcLang)
	t.writeParts(` datatype="unknown"/>`, "\n<body>\n")
	return t, t.w.Flush()
}

// Write writes a unit. Characters that XML cannot represent become U+FFFD.
func (t *Writer) Write(u Unit) error {
	t.writeParts("<tu")
	t.optional("tuid", u.ID)
	if !u.Changed.IsZero() {
		t.writeAttr("changedate", u.Changed.UTC().Format(stamp))
	}
	t.optional("changeid", u.By)
	t.optional("srclang", u.SrcLang)
	t.writeParts(">\n")
	t.remarks(u.Notes, u.Props)
	for _, v := range u.Variants {
		t.writeParts("<tuv")
		t.writeAttr("xml:lang", v.Lang)
		if !v.Changed.IsZero() {
			t.writeAttr("changedate", v.Changed.UTC().Format(stamp))
		}
		t.optional("changeid", v.By)
		t.writeParts(">")
		t.remarks(v.Notes, v.Props)
		t.writeParts("<seg>")
		t.segment(v.Text)
		t.writeParts("</seg></tuv>\n")
	}
	_, err := t.w.WriteString("</tu>\n")
	return err
}

// Close ends the file. It does not close the underlying writer.
func (t *Writer) Close() error {
	t.writeParts("</body>\n</tmx>\n")
	return t.w.Flush()
}

func (t *Writer) remarks(notes []string, props []Prop) {
	for _, n := range notes {
		t.writeParts("<note>")
		t.writeText(n)
		t.writeParts("</note>\n")
	}
	for _, p := range props {
		t.writeParts("<prop")
		t.writeAttr("type", p.Type)
		t.writeParts(">")
		t.writeText(p.Text)
		t.writeParts("</prop>\n")
	}
}

// segment writes inline tags as those of TMX. The code inside is our notation
// of the tag, so that a person sees something in another tool.
func (t *Writer) segment(text string) {
	for _, k := range tags.Parse(text) {
		n := strconv.Itoa(k.N)
		switch k.Kind {
		case tags.Text:
			t.writeText(k.Text)
		case tags.Open:
			t.writeParts(`<bpt i="`, n, `" x="`, n, `">&lt;`, n, `&gt;</bpt>`)
		case tags.Close:
			t.writeParts(`<ept i="`, n, `">&lt;/`, n, `&gt;</ept>`)
		case tags.Single:
			t.writeParts(`<ph x="`, n, `">&lt;`, n, `/&gt;</ph>`)
		}
	}
}

// The writer keeps its first error (bufio.Writer), which Write and Close
// return.

func (t *Writer) writeParts(parts ...string) {
	for _, p := range parts {
		_, _ = t.w.WriteString(p)
	}
}

func (t *Writer) writeText(s string) { _ = xml.EscapeText(t.w, []byte(s)) }

func (t *Writer) writeAttr(name, value string) {
	var sb strings.Builder
	_ = xml.EscapeText(&sb, []byte(value))
	t.writeParts(" ", name, `="`, sb.String(), `"`)
}

func (t *Writer) optional(name, value string) {
	if value != "" {
		t.writeAttr(name, value)
	}
}
