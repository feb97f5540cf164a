package pptx

import (
	"bytes"
	"fmt"
	"strings"

	"atelier/formats/inline"
	"atelier/formats/xmlscan"
)

// piece is a stretch of a paragraph: runs of one formatting, or something that
// is not text (a break, a field, a formula), which stays as it is.
type piece struct {
	key        string // of the formatting
	props      *node  // a:rPr of the first run, nil for none
	text       strings.Builder
	opaque     bool
	start, end int // in the part
	tag        int // number of its inline tag, 0: the paragraph's own formatting
}

// pieces splits a paragraph. The formatting that most of its letters have is
// the paragraph's own; the other pieces are numbered.
func (t *tree) pieces(p *node) []*piece {
	var list []*piece
	weight := map[string]int{}
	for k := range p.kids() {
		if k.Is(nsA, "pPr") || k.Is(nsA, "endParaRPr") {
			continue
		}
		pc := &piece{opaque: true, start: k.Start, end: k.end}
		if k.Is(nsA, "r") {
			pc.opaque, pc.props = false, k.child(nsA, "rPr")
			pc.key = t.formatKey(pc.props)
			pc.text.WriteString(t.text(k.child(nsA, "t")))
			weight[pc.key] += pc.text.Len()
		}
		list = joinPiece(list, pc)
	}
	base, n := "", -1
	for _, pc := range list {
		if w := weight[pc.key]; !pc.opaque && w > n {
			base, n = pc.key, w
		}
	}
	number := 0
	for _, pc := range list {
		if pc.opaque || pc.key != base {
			number++
			pc.tag = number
		}
	}
	return list
}

// joinPiece adds pc to list, into its last piece when they look the same. A
// blank looks like what stands before it.
func joinPiece(list []*piece, pc *piece) []*piece {
	if len(list) > 0 && !pc.opaque {
		last := list[len(list)-1]
		if !last.opaque && (last.key == pc.key || strings.TrimSpace(pc.text.String()) == "") {
			last.text.WriteString(pc.text.String())
			last.end = pc.end
			return list
		}
	}
	return append(list, pc)
}

// checkerMarks are the attributes of a:rPr that do not change how text looks.
var checkerMarks = []string{"lang", "altLang", "dirty", "err", "noProof", "smtClean", "smtId", "bmk"}

// formatKey is equal for run properties that look the same.
func (t *tree) formatKey(rPr *node) string {
	if rPr == nil {
		return ""
	}
	attrs := dropAttrs(rPr, rPr.Bytes(), checkerMarks...)[1+len(qualify(rPr.Prefix, rPr.Local)):]
	attrs = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSuffix(attrs, []byte(">")), []byte("/")))
	return strings.TrimSpace(string(attrs) + string(t.doc[rPr.End:rPr.close]))
}

// taggedParagraph is the text of p with inline tags.
func (t *tree) taggedParagraph(p *node) (string, error) {
	var tokens []inline.Token
	for _, pc := range t.pieces(p) {
		text := inline.Token{Kind: inline.Text, Text: pc.text.String()}
		switch {
		case pc.opaque:
			tokens = append(tokens, inline.Token{Kind: inline.Single, N: pc.tag})
		case pc.tag == 0:
			tokens = append(tokens, text)
		default:
			tokens = append(tokens, inline.Token{Kind: inline.Open, N: pc.tag}, text, inline.Token{Kind: inline.Close, N: pc.tag})
		}
	}
	return inline.String(tokens), nil
}

// replaceParagraph writes the tagged text target in the place of p's runs. The
// paragraph's properties and end mark keep their bytes, and so do all pieces
// that are no text.
func (t *tree) replaceParagraph(p *node, target string) ([]xmlscan.Splice, error) {
	list := t.pieces(p)
	if len(list) == 0 {
		return nil, nil
	}
	byTag, props := map[int]*piece{}, map[int]*node{}
	for _, pc := range list {
		byTag[pc.tag] = pc
		if _, first := props[pc.tag]; !first {
			props[pc.tag] = pc.props
		}
	}
	var buf bytes.Buffer
	open := []int{0}
	for _, tok := range inline.Parse(target) {
		switch tok.Kind {
		case inline.Open:
			open = append(open, tok.N)
		case inline.Close:
			open = open[:max(1, len(open)-1)]
		case inline.Single:
			if pc := byTag[tok.N]; pc != nil {
				buf.Write(t.doc[pc.start:pc.end])
			}
		case inline.Text:
			t.writeRuns(&buf, p.Prefix, props[open[len(open)-1]], tok.Text)
		}
	}
	return []xmlscan.Splice{{Start: list[0].start, End: list[len(list)-1].end, New: buf.Bytes()}}, nil
}

// writeRuns writes text in one formatting; a line feed becomes a line break.
func (t *tree) writeRuns(buf *bytes.Buffer, prefix string, rPr *node, text string) {
	var props []byte
	if rPr != nil {
		props = dropAttrs(rPr, t.raw(rPr), "dirty", "err")
	}
	q := func(local string) string { return qualify(prefix, local) }
	for i, s := range strings.Split(strings.ReplaceAll(text, "\v", "\n"), "\n") {
		if i > 0 {
			fmt.Fprintf(buf, "<%s>%s</%s>", q("br"), props, q("br"))
		}
		if s != "" {
			fmt.Fprintf(buf, "<%s>%s<%s>%s</%s></%s>", q("r"), props, q("t"), xmlscan.Escape(s), q("t"), q("r"))
		}
	}
}
