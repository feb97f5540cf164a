package localization

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
	"atelier/formats/text"
	"atelier/internal/lazyregexp"
)

var xmlEncoding = lazyregexp.New(`^<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

func declaredXML(head []byte) string {
	if m := xmlEncoding.FindSubmatch(head); m != nil {
		return string(m[1])
	}
	return ""
}

// xliffUnit is a trans-unit (XLIFF 1.2) or a segment (2.x).
type xliffUnit struct {
	tag    xmlscan.Token
	id     string
	source span         // between the tags of <source>
	ps     []text.Piece // of it
	indent string       // what is before <source> in its line
	after  int          // behind </source>, and behind </seg-source> in 1.2
	target span         // the whole <target>, zero when there is none
	filled bool         // there is text in it
	state  string
	notes  []string
	max    int // characters, 0: any
}

// xliffReader collects the units of a file.
type xliffReader struct {
	s      string
	lang   string
	sc     *xmlscan.Scanner
	f      text.Found
	u      *xliffUnit
	v2     bool
	files  int
	unit   string // id of the unit around segments (2.x)
	notes  []string
	inUnit int   // segments of it so far
	off    []int // depths of the open elements with translate="no"
	seen   map[string]int
	line   int
	lineAt int
	err    error
}

// maxIndent is how many blanks before a <source> are written before its <target> too.
const maxIndent = 200

// maxPieces is how many codes and texts one unit has at most.
const maxPieces = 2000

// unfinishedStates are the states of a translation that is not fit for use (XLIFF 1.2,
// 2.3 "state"; 2.1, 4.3.1.29).
var unfinishedStates = map[string]bool{"new": true, "needs-translation": true, "needs-l10n": true, "needs-adaptation": true, "initial": true}

// findXLIFF returns the units without a translation and those whose state says
// that they need one.
func findXLIFF(ctx context.Context, d text.Document) (text.Found, error) {
	x := &xliffReader{s: d.Text, lang: d.Language, sc: xmlscan.New([]byte(d.Text)), seen: map[string]int{}, line: 1}
	x.f.Escape = func(r rune) string { return fmt.Sprintf("&#%d;", r) }
	for n := 0; x.sc.Next(); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return x.f, ctx.Err()
		}
		switch t := x.sc.Token(); {
		case t.Kind == xmlscan.Start:
			x.start(t)
		case t.Kind == xmlscan.End:
			x.end(t)
		}
		if x.err != nil {
			return x.f, x.err
		}
		if len(x.f.Units) > maxUnits {
			return x.f, tooMany(d.Name)
		}
	}
	if err := x.sc.Err(); err != nil {
		return x.f, formats.Errorf(formats.CodeCorrupt, "%s is no valid XLIFF: %w", d.Name, err)
	}
	return x.f, nil
}

func (x *xliffReader) start(t xmlscan.Token) {
	if v, ok := t.Attr("translate"); ok && v == "no" && !t.Empty {
		x.off = append(x.off, t.Depth)
	}
	switch t.Local {
	case "xliff":
		v, _ := t.Attr("version")
		if x.v2 = strings.HasPrefix(v, "2"); x.v2 {
			x.setAttr(t, "trgLang")
		}
	case "file":
		x.files++
		if !x.v2 {
			x.setAttr(t, "target-language")
		}
	case "alt-trans", "matches", "glossary", "ignorable", "skeleton", "skl":
		x.sc.Skip()
		if n := len(x.off); n > 0 && x.off[n-1] == t.Depth {
			x.off = x.off[:n-1]
		}
	case "unit":
		x.unit, _ = t.Attr("id")
		x.notes, x.inUnit = nil, 0
	case "trans-unit", "segment":
		x.beginUnit(t)
	case "note":
		if note := strings.TrimSpace(x.plainText(t)); note != "" && len(x.notes) < maxNotes {
			x.notes = append(x.notes, note)
			if x.u != nil {
				x.u.notes = x.notes
			}
		}
	case "source", "seg-source", "target":
		if x.u != nil {
			x.readPart(t)
		}
	}
}

func (x *xliffReader) beginUnit(t xmlscan.Token) {
	x.u = &xliffUnit{tag: t}
	x.u.id, _ = t.Attr("id")
	x.u.state, _ = t.Attr("state")
	if x.v2 {
		x.inUnit++
		if x.u.id == "" {
			x.u.id = strconv.Itoa(x.inUnit)
		}
		x.u.id = x.unit + "/" + x.u.id
		x.u.notes = x.notes
		return
	}
	x.notes = nil
	if unit, _ := t.Attr("size-unit"); unit == "char" {
		width, _ := t.Attr("maxwidth")
		x.u.max, _ = strconv.Atoi(width)
	}
}

// readPart reads source, seg-source or target.
func (x *xliffReader) readPart(t xmlscan.Token) {
	u := x.u
	if t.Local == "target" && !x.v2 {
		u.state, _ = t.Attr("state")
	}
	inner := span{t.End, t.End}
	whole := span{t.Start, t.End}
	var ps []text.Piece
	if !t.Empty {
		ps = x.readPieces(t)
		last := x.sc.Token()
		inner.end, whole.end = last.Start, last.End
	}
	switch t.Local {
	case "source":
		u.source, u.ps, u.after = inner, ps, whole.end
		before := x.s[max(0, t.Start-maxIndent):t.Start]
		if i := strings.LastIndexByte(before, '\n'); i >= 0 && strings.TrimSpace(before[i:]) == "" {
			u.indent = before[i:]
		}
	case "seg-source":
		u.after = whole.end
	case "target":
		u.target, u.filled = whole, strings.TrimSpace(x.s[inner.start:inner.end]) != ""
	}
}

// codeElements are the elements for a program's codes, content and all.
var codeElements = map[string]bool{"x": true, "bx": true, "ex": true, "bpt": true, "ept": true, "ph": true, "it": true, "sc": true, "ec": true, "cp": true, "sm": true, "em": true}

// readPieces reads up to the end of the element t.
func (x *xliffReader) readPieces(t xmlscan.Token) (out []text.Piece) {
	for x.sc.Next() {
		if len(out) > maxPieces {
			x.err = formats.Errorf(formats.CodeTooLarge, "the XLIFF file has more than %d codes in one unit", maxPieces)
			return nil
		}
		n := x.sc.Token()
		p := text.Piece{Kind: tags.Single, Start: n.Start, End: n.End, Name: n.Local}
		switch n.Kind {
		case xmlscan.End:
			if n.Depth == t.Depth {
				return out
			}
			p.Kind = tags.Close
		case xmlscan.Start:
			protected, _ := n.Attr("translate")
			if codeElements[n.Local] || protected == "no" {
				p.End = x.sc.Skip()
			} else if !n.Empty {
				p.Kind = tags.Open
			}
		case xmlscan.Text:
			p.Kind, p.Text = tags.Text, xmlscan.Unescape(n.Bytes())
		case xmlscan.CData:
			p.Kind, p.Text = tags.Text, strings.TrimSuffix(strings.TrimPrefix(string(n.Bytes()), "<![CDATA["), "]]>")
		}
		out = append(out, p)
	}
	return out
}

func (x *xliffReader) plainText(t xmlscan.Token) string {
	if t.Empty {
		return ""
	}
	return text.Plain(x.readPieces(t))
}

// setAttr sets the targets' language on a start tag.
func (x *xliffReader) setAttr(t xmlscan.Token, name string) {
	if x.lang == "" {
		return
	}
	for a := range t.Attrs() {
		if a.Name == name {
			x.f.Edits = append(x.f.Edits, text.Edit{Start: a.ValStart, End: a.ValEnd, Text: xmlscan.Escape(x.lang)})
			return
		}
	}
	at := t.Start + 1 + len(t.Local)
	if t.Prefix != "" {
		at += len(t.Prefix) + 1
	}
	x.f.Edits = append(x.f.Edits, text.Edit{Start: at, End: at, Text: fmt.Sprintf(` %s="%s"`, name, xmlscan.Escape(x.lang))})
}

func (x *xliffReader) end(t xmlscan.Token) {
	off := len(x.off) > 0
	if n := len(x.off); n > 0 && x.off[n-1] == t.Depth {
		x.off = x.off[:n-1]
	}
	if t.Local != "trans-unit" && t.Local != "segment" || x.u == nil {
		return
	}
	u := x.u
	x.u = nil
	if off || u.after == 0 || u.filled && !unfinishedStates[u.state] {
		return
	}
	u.ps = text.Pieces(x.s, u.ps)
	plain := text.Plain(u.ps)
	if !text.Translatable(plain) || !utf8.ValidString(plain) {
		return
	}
	x.f.Units = append(x.f.Units, x.finishUnit(u))
}

func (x *xliffReader) finishUnit(u *xliffUnit) text.Unit {
	id := u.id
	if x.files > 1 {
		id = fmt.Sprintf("f%d/%s", x.files, id)
	}
	if x.seen[id]++; x.seen[id] > 1 {
		id = fmt.Sprintf("%s#%d", id, x.seen[id])
	}
	x.line += strings.Count(x.s[x.lineAt:u.tag.Start], "\n")
	x.lineAt = u.tag.Start
	out := text.Unit{Segment: formats.Segment{
		ID: id, Text: text.Tagged(u.ps), Place: fmt.Sprintf("line %d, unit %s", x.line, u.id), Part: "message", Notes: u.notes, MaxLength: u.max,
	}, Start: u.after, End: u.after}
	if u.target != (span{}) {
		out.Start, out.End = u.target.start, u.target.end
	}
	initial := x.v2 && u.state == "initial"
	if initial {
		out.Start = u.tag.Start
	}
	prefix := ""
	if u.tag.Prefix != "" {
		prefix = u.tag.Prefix + ":"
	}
	out.Write = func(target string, inside func(start, end int) string) (string, error) {
		if strings.TrimSpace(tags.Plain(target)) == "" {
			return "", errEmpty
		}
		var sb strings.Builder
		if initial {
			tag := inside(u.tag.Start, u.tag.End)
			tag = strings.NewReplacer(`state="initial"`, `state="translated"`, `state='initial'`, `state="translated"`).Replace(tag)
			until := u.after
			if u.target != (span{}) {
				until = u.target.start
			}
			sb.WriteString(tag + inside(u.tag.End, until))
		}
		if u.target == (span{}) {
			sb.WriteString(u.indent)
		}
		sb.WriteString("<" + prefix + "target")
		if !x.v2 && u.state != "" {
			sb.WriteString(` state="translated"`)
		}
		sb.WriteString(">" + inside(u.source.start, u.ps[0].Start))
		sb.WriteString(text.WritePieces(u.ps, target, inside, xmlscan.Escape))
		sb.WriteString(inside(u.ps[len(u.ps)-1].End, u.source.end) + "</" + prefix + "target>")
		return sb.String(), nil
	}
	return out
}
