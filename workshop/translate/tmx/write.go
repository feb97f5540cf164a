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
	t.put(`<?xml version="1.0" encoding="UTF-8"?>`, "\n", `<!DOCTYPE tmx SYSTEM "tmx14.dtd">`, "\n", `<tmx version="1.4">`, "\n<header")
	t.attr("creationtool", h.Tool)
	t.attr("creationtoolversion", h.Version)
	t.put(` segtype="block" o-tmf="atelier" adminlang="en"`)
	t.attr("srclang", h.SrcLang)
	t.put(` datatype="unknown"/>`, "\n<body>\n")
	return t, t.w.Flush()
}

// Write writes a unit. Characters that XML cannot represent become U+FFFD.
func (t *Writer) Write(u Unit) error {
	t.put("<tu")
	t.optional("tuid", u.ID)
	if !u.Changed.IsZero() {
		t.attr("changedate", u.Changed.UTC().Format(stamp))
	}
	t.optional("changeid", u.By)
	t.optional("srclang", u.SrcLang)
	t.put(">\n")
	t.remarks(u.Notes, u.Props)
	for _, v := range u.Variants {
		t.put("<tuv")
		t.attr("xml:lang", v.Lang)
		if !v.Changed.IsZero() {
			t.attr("changedate", v.Changed.UTC().Format(stamp))
		}
		t.optional("changeid", v.By)
		t.put(">")
		t.remarks(v.Notes, v.Props)
		t.put("<seg>")
		t.segment(v.Text)
		t.put("</seg></tuv>\n")
	}
	_, err := t.w.WriteString("</tu>\n")
	return err
}

// Close ends the file. It does not close the underlying writer.
func (t *Writer) Close() error {
	t.put("</body>\n</tmx>\n")
	return t.w.Flush()
}

func (t *Writer) remarks(notes []string, props []Prop) {
	for _, n := range notes {
		t.put("<note>")
		t.text(n)
		t.put("</note>\n")
	}
	for _, p := range props {
		t.put("<prop")
		t.attr("type", p.Type)
		t.put(">")
		t.text(p.Text)
		t.put("</prop>\n")
	}
}

// segment writes inline tags as those of TMX. The code inside is our notation
// of the tag, so that a person sees something in another tool.
func (t *Writer) segment(text string) {
	for _, k := range tags.Parse(text) {
		n := strconv.Itoa(k.N)
		switch k.Kind {
		case tags.Text:
			t.text(k.Text)
		case tags.Open:
			t.put(`<bpt i="`, n, `" x="`, n, `">&lt;`, n, `&gt;</bpt>`)
		case tags.Close:
			t.put(`<ept i="`, n, `">&lt;/`, n, `&gt;</ept>`)
		case tags.Single:
			t.put(`<ph x="`, n, `">&lt;`, n, `/&gt;</ph>`)
		}
	}
}

// The writer keeps its first error (bufio.Writer), which Write and Close
// return.

func (t *Writer) put(parts ...string) {
	for _, p := range parts {
		_, _ = t.w.WriteString(p)
	}
}

func (t *Writer) text(s string) { _ = xml.EscapeText(t.w, []byte(s)) }

func (t *Writer) attr(name, value string) {
	var sb strings.Builder
	_ = xml.EscapeText(&sb, []byte(value))
	t.put(" ", name, `="`, sb.String(), `"`)
}

func (t *Writer) optional(name, value string) {
	if value != "" {
		t.attr(name, value)
	}
}
