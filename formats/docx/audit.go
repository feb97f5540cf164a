package docx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/docx/internal/audit"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/textclip"
)

// The bounds of an audit.
const (
	auditParas = 200_000  // paragraphs looked at
	auditText  = 24 << 20 // bytes of text looked at
	maxResult  = 1 << 10  // bytes of what a field shows
)

type auditor struct{}

// AuditKinds implements formats.Auditor.
func (auditor) AuditKinds() []string { return audit.Kinds() }

// Audit implements formats.Auditor.
func (auditor) Audit(ctx context.Context, src formats.Source, opt formats.AuditOptions) (*formats.Audit, error) {
	d, err := openDocument(ctx, src)
	if err != nil {
		return nil, err
	}
	r := auditReader{document: d, out: &audit.Document{Bookmarks: map[string]int{}}}
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	return audit.Run(ctx, r.out, opt)
}

// auditReader makes of a document what an audit looks at.
type auditReader struct {
	*document
	out     *audit.Document
	lists   *numbering
	levels  map[string]int // of styles
	labels  map[*node]string
	index   map[*node]int // of paragraphs in out
	groups  int
	boxes   int // text boxes of the parts before
	text    int // bytes held
	clipped int // paragraphs that are not held whole
	beyond  int // paragraphs that are not held
	full    bool

	withoutScan bool // what is inside paragraphs is not looked at
}

func (r *auditReader) read(ctx context.Context) error {
	var err error
	if r.lists, err = r.numbering(ctx); err != nil {
		return err
	}
	r.levels = map[string]int{}
	parts, err := r.textParts(ctx)
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, tp := range parts {
		n := count[tp.word]
		count[tp.word]++
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := r.load(ctx, tp)
		if err != nil {
			return err
		}
		if err := r.readPart(ctx, p, n); err != nil {
			return err
		}
	}
	if r.clipped > 0 {
		r.out.Unseen = append(r.out.Unseen, fmt.Sprintf("the ends of %d paragraphs of more than %d bytes", r.clipped, audit.MaxText))
	}
	if r.full {
		r.out.Unseen = append(r.out.Unseen, fmt.Sprintf("bookmarks, fields, links and references to notes beyond %d", auditParas))
	}
	if r.beyond > 0 {
		r.out.Unseen = append(r.out.Unseen, fmt.Sprintf("%d paragraphs beyond %d paragraphs or %d MiB of text", r.beyond, auditParas, auditText>>20))
	}
	return nil
}

// readPart adds the paragraphs of a part, the n-th of its kind, and what is in
// them.
func (r *auditReader) readPart(ctx context.Context, p *part, n int) error {
	r.index = map[*node]int{}
	r.labels = r.document.labels(p, r.lists)
	for i, s := range p.stories {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.noteType() != "" && s.noteType() != "normal" {
			continue
		}
		at := storyPrefix(p.textPart, n, s.id)
		if p.word == "comments" {
			continue
		}
		if err := r.blocks(ctx, p, s, at, p.word == ""); err != nil {
			return err
		}
		if word := strings.TrimSuffix(p.word, "s"); word == "footnote" || word == "endnote" {
			r.out.Notes = append(r.out.Notes, audit.Note{At: at + ".p0", ID: s.id, Word: word, Empty: r.blank(p, s)})
		}
	}
	r.boxes += len(p.boxes)
	if p.word == "comments" {
		return r.comments(ctx, p)
	}
	if r.withoutScan {
		return nil
	}
	return r.scan(ctx, p)
}

// blank reports whether a note shows nothing.
func (r *auditReader) blank(p *part, s *node) bool {
	for _, k := range s.kids {
		if k.kind != paraNode || strings.TrimSpace(p.text(k)) != "" || strings.Contains(string(p.doc[k.start:k.end]), "<"+p.prefix+"drawing") {
			return false
		}
	}
	return true
}

// blocks adds the paragraphs of a story, cell or text box. base is its address.
func (r *auditReader) blocks(ctx context.Context, p *part, n *node, base string, body bool) error {
	if base != "" {
		base += "."
	}
	r.groups++
	group := r.groups
	var count [boxNode + 1]int
	for i, k := range n.kids {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := fmt.Sprintf("%s%s%d", base, kindLetters[k.kind], count[k.kind])
		count[k.kind]++
		if k.kind != paraNode {
			if err := r.blocks(ctx, p, k, at, false); err != nil {
				return err
			}
			continue
		}
		for _, box := range k.boxes {
			if err := r.blocks(ctx, p, box, fmt.Sprintf("x%d", r.boxes+box.box), false); err != nil {
				return err
			}
		}
		r.paragraph(p, k, at, group, body)
	}
	return nil
}

// paragraph adds one paragraph, unless there is no room for it.
func (r *auditReader) paragraph(p *part, k *node, at string, group int, body bool) {
	if len(r.out.Paras) >= auditParas || r.text >= auditText {
		r.beyond++
		return
	}
	para := p.paras[k.para]
	text := para.Text()
	shown := strings.TrimSpace(text) != ""
	if k.gone && !shown {
		return // it is not there when the changes are accepted
	}
	if len(text) > audit.MaxText {
		text = textclip.HeadBytes(text, audit.MaxText)
		r.clipped++
	}
	r.text += len(text)
	r.index[k] = len(r.out.Paras)
	raw := p.doc[k.start:k.end]
	r.out.Paras = append(r.out.Paras, audit.Para{
		At: at, Text: text, Label: r.labels[k], Level: r.level(p, k), Style: strings.ToLower(r.styles[k.style].name), Group: group, Body: body,
		Void: !shown && !para.HasOpaque() && !breaks(string(raw)),
		Note: p.word == "footnotes" || p.word == "endnotes", Edge: p.word == "header" || p.word == "footer",
	})
}

// breaks reports whether an empty paragraph breaks the page or a section, or
// holds something drawn.
func breaks(raw string) bool {
	for _, s := range []string{":br", ":sectPr", "pageBreakBefore", ":drawing", ":pict", ":object", ":sdt", "<br", "<sectPr", "oMath", "Reference", ":tab/", ":pBdr", ":framePr", "txbxContent"} {
		if strings.Contains(raw, s) {
			return true
		}
	}
	return false
}

// level returns that of a heading, also of an empty one; -1 for other paragraphs.
func (r *auditReader) level(p *part, k *node) int {
	level, ok := r.levels[k.style]
	if !ok {
		level = r.styles.level(k.style)
		r.levels[k.style] = level
	}
	if k.props.end > 0 {
		raw := p.raw(k.props)
		if strings.Contains(raw, "outlineLvl") {
			switch o := attrInt(paraProps(raw, p.prefix).Get("outlineLvl"), "val"); {
			case o >= 0 && o <= 8:
				level = o + 1
			case o == 9:
				level = -1 // body text
			}
		}
	}
	return level
}

// comments adds the comments that are not resolved.
func (r *auditReader) comments(ctx context.Context, p *part) error {
	done, err := r.resolved(ctx)
	if err != nil {
		return err
	}
	for _, s := range p.stories {
		closed := false
		for _, k := range s.kids {
			closed = closed || done[strings.ToUpper(k.id)] && k.id != ""
		}
		if !closed {
			r.out.Comments = append(r.out.Comments, audit.Comment{At: storyPrefix(p.textPart, 0, s.id), Text: textclip.Head(p.text(s), 200)})
		}
	}
	return nil
}

// resolved returns the ids of paragraphs whose comments are done (commentsExtended
// of Word 2012).
func (r *auditReader) resolved(ctx context.Context) (map[string]bool, error) {
	rels, err := r.ed.Rels(ctx, r.main)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, rel := range rels {
		if !strings.HasSuffix(rel.Type, "/commentsExtended") || rel.External || !r.ed.Has(rel.Target) {
			continue
		}
		doc, err := r.ed.ReadXML(ctx, rel.Target)
		if err != nil {
			return nil, err
		}
		sc := xmlscan.New(doc)
		for sc.Next() {
			if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == "commentEx" && t.AttrLocal("done") == "1" {
				out[strings.ToUpper(t.AttrLocal("paraId"))] = true
			}
		}
	}
	return out, nil
}
