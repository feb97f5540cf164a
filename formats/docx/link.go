package docx

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// addHyperlinkArgs are the members of add_hyperlink.
type addHyperlinkArgs struct {
	URL    string  `json:"url" usage:"url" jsonschema:"{ops}: target"`
	Search *string `json:"search" usage:"search" old:"find" jsonschema:"{ops}: text to find; it may span formatting but not paragraphs"`
	At     string  `json:"at" usage:"or at (or both)"`
	matchArgs
	Text *string `json:"text" usage:"text? (without search)" jsonschema:"text; \\n is a line break, \\t a tab"`
	Runs []Run   `json:"runs" usage:"or runs?" jsonschema:"instead of text: stretches with their own formatting"`
	Font
	trackingArgs
}

// addHyperlink makes the first text found a link, or adds linked text to the
// end of a paragraph (17.16.22).
func (e *editing) addHyperlink(ctx context.Context, op addHyperlinkArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	if err := checkLink(op.URL); err != nil {
		return rep, err
	}
	if op.Search == nil {
		return rep, e.appendLink(ctx, op)
	}
	for name, given := range map[string]bool{"text": op.Text != nil, "runs": len(op.Runs) > 0} {
		if given {
			rep.Ignored = append(rep.Ignored, formats.Ignored{Name: name}) // search names the text
		}
	}
	pl, m, err := e.firstMatch(ctx, op.Search, op.At, op.matchArgs)
	if err != nil {
		return rep, err
	}
	if !pl.paras[pl.para].SameContainer(m.Start, m.End) {
		return rep, formats.Errorf(formats.CodeInvalid, "%q reaches over the edge of another link or a content control; choose a shorter text", *op.Search)
	}
	open, err := e.linkOpen(ctx, pl, op.URL)
	if err != nil {
		return rep, err
	}
	if e.rev != nil {
		rep.Warnings = append(rep.Warnings, "the link is not recorded as a tracked change")
	}
	rep.Made = e.addressOf(ctx, pl)
	// Two rounds: the look of the runs first, then what stands around them.
	e.splice(pl.part, pl.paras[pl.para].Restyle([]paragraph.Range{m}, func(rPr string) string { return e.linkLook(rPr, pl.prefix) })...)
	p, err := e.load(ctx, pl.textPart)
	if err != nil {
		return rep, err
	}
	e.splice(p, p.paras[pl.para].InsertBetween([]paragraph.Insert{
		{Pos: m.Start, XML: open}, {Pos: m.End, XML: "</" + pl.prefix + "hyperlink>", After: true}})...)
	return rep, nil
}

// firstMatch finds the first text of a search.
func (e *editing) firstMatch(ctx context.Context, search *string, at string, m matchArgs) (place, paragraph.Range, error) {
	find, err := m.finder(search)
	if err != nil {
		return place{}, paragraph.Range{}, err
	}
	var pl place
	var hit paragraph.Range
	err = e.searched(ctx, at, m.Scope, func(p *part, n *node) ([]xmlscan.Splice, error) {
		if pl.node == nil {
			for hits, err := range find.All(ctx, p.paras[n.para].Text()) {
				if err != nil {
					return nil, err
				}
				pl, hit = place{p, n}, paragraph.Range{Start: hits[0], End: hits[1]}
				break
			}
		}
		return nil, nil
	})
	if err == nil && pl.node == nil {
		err = formats.Errorf(formats.CodeNotFound, "%q was not found", *search)
	}
	return pl, hit, err
}

func checkLink(target string) error {
	if target == "" {
		return formats.Errorf(formats.CodeInvalid, "url is required: where the link leads, such as https://example.com, mailto:a@example.com or #bookmark")
	}
	if strings.HasPrefix(target, "#") {
		return nil
	}
	return formats.CheckLink(target)
}

// linkOpen returns the start tag of a link from a part.
func (e *editing) linkOpen(ctx context.Context, pl place, target string) (string, error) {
	if mark, ok := strings.CutPrefix(target, "#"); ok {
		return "<" + pl.prefix + "hyperlink " + pl.prefix + `anchor="` + escape(mark) + `">`, nil
	}
	id, err := e.ed.AddRel(ctx, pl.name, opc.Relationship{Type: opc.RelPrefix + "hyperlink", Target: target, External: true})
	if err != nil {
		return "", err
	}
	return "<" + pl.prefix + `hyperlink r:id="` + id + `"` + e.namespaceDecl("r", nsR) + ">", nil
}

// linkLook returns run properties the look of a link: the style for it, else
// blue and underlined.
func (e *editing) linkLook(rPr, prefix string) string {
	p := runProps(rPr, prefix)
	if id, ok := e.styles.findKind("character", "Hyperlink"); ok {
		setVal(p, "rStyle", id)
		return p.Optional()
	}
	setVal(p, "color", "0563C1")
	setVal(p, "u", "single")
	return p.Optional()
}

func (e *editing) appendLink(ctx context.Context, op addHyperlinkArgs) error {
	if op.At == "" {
		return formats.Errorf(formats.CodeInvalid, "search is required: the text to link; or at and text, to add linked text to a paragraph")
	}
	pl, err := e.want(ctx, op.At, paraNode)
	if err != nil {
		return err
	}
	spec := Paragraph{Text: op.Text, Runs: op.Runs, Font: op.Font}
	if spec.plain() == "" {
		spec = Paragraph{Text: &op.URL, Font: op.Font}
	}
	open, err := e.linkOpen(ctx, pl, op.URL)
	if err != nil {
		return err
	}
	base := e.linkLook(cleanRun(markProperties(pl), pl.prefix), pl.prefix)
	run, err := runsXML(pl.prefix, spec, base)
	if err != nil {
		return err
	}
	if e.rev != nil {
		run = "<" + pl.prefix + "ins" + e.rev.Attrs(pl.prefix) + ">" + run + "</" + pl.prefix + "ins>"
	}
	e.put(pl.part, pl.node, pl.innerEnd, pl.innerEnd, open+run+"</"+pl.prefix+"hyperlink>")
	return nil
}
