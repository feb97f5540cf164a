package docx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// addTableOfContentsArgs are the members of add_table_of_contents.
type addTableOfContentsArgs struct {
	besideArgs
	Text  *string      `json:"text" usage:"text? (a title above)" jsonschema:"text; \\n is a line break, \\t a tab"`
	Level *lenient.Int `json:"level" usage:"level? (deepest heading level, 1 to 9; default 3)" jsonschema:"{ops}: 0 to 8"`
	Label string       `json:"label" usage:"label? (such as Figure: a table of the captions with that label)" jsonschema:"{ops}: of captions, such as Figure or Table"`
	trackingArgs
}

// maxContents bounds the entries of a new table of contents.
const maxContents = 5000

// contentsEntry is a heading with its bookmark.
type contentsEntry struct {
	level             int
	label, text, mark string
}

// addTableOfContents puts a TOC field beside a block, with an entry for each
// heading of the body, or each caption with a label, that links to it
// (17.16.5.68). Entries have no page numbers: update_contents writes them, or the
// application that lays out pages when it updates the field, which is marked for
// that.
func (e *editing) addTableOfContents(ctx context.Context, op addTableOfContentsArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	deepest := 3
	if op.Level != nil {
		deepest = int(*op.Level)
	}
	if deepest < 1 || deepest > 9 {
		return rep, formats.Errorf(formats.CodeInvalid, "level is %d; for a table of contents it is 1 to 9", deepest)
	}
	pl, _, err := e.beside(ctx, op.besideArgs)
	if err != nil {
		return rep, err
	}
	if pl.name != e.main {
		return rep, formats.Errorf(formats.CodeInvalid, "a table of contents stands in the body; %s is in %s", op.At, pl.what)
	}
	figures := op.Label != ""
	if figures && op.Level != nil {
		return rep, formats.Errorf(formats.CodeInvalid, "level is for headings, label for captions: give one of them")
	}
	pick := func(p *part, n *node) (int, string) {
		if level := e.styles.level(n.style); level >= 1 && level <= deepest {
			return level, oneSpaced(p.paras[n.para].Text())
		}
		return 0, ""
	}
	instr, missing := fmt.Sprintf(` TOC \o "1-%d" \h \z \u `, deepest), fmt.Sprintf("the body has no headings down to level %d; give headings a style such as Heading 1 first", deepest)
	if figures {
		if err := checkSequence(op.Label); err != nil {
			return rep, err
		}
		instr, missing = fmt.Sprintf(` TOC \h \z \c "%s" `, op.Label), fmt.Sprintf("the body has no captions with the label %s; add_caption makes them", op.Label)
		if pick, err = e.captions(ctx, pl.part, op.Label, false); err != nil {
			return rep, err
		}
	}
	entries, err := e.contentsEntries(ctx, pick)
	if err == nil && len(entries) == 0 {
		err = formats.Errorf(formats.CodeInvalid, "%s", missing)
	}
	if err != nil {
		return rep, err
	}
	if err := e.contentsStyles(ctx, entries, figures); err != nil {
		return rep, err
	}
	pl, at, err := e.beside(ctx, op.besideArgs) // again, as bookmarks moved it
	if err != nil {
		return rep, err
	}
	rep.Hits = len(entries)
	xml, count := e.contentsXML(pl.prefix, entries, op.Text, instr, figures)
	rep.Moved = movedBy(e.paragraphAfter(ctx, pl, at), count)
	e.splice(pl.part, xmlscan.Splice{Start: at, End: at, New: []byte(xml)})
	rep.Notes = append(rep.Notes, fmt.Sprintf("%d entries without page numbers; update_contents writes those of LibreOffice's layout; Word makes them on opening (it may ask) or with F9", len(entries)))
	return rep, nil
}

// oneSpaced returns text with one blank between words.
func oneSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// contentsEntries lists the paragraphs of the body for which pick returns a level
// and a text, and gives each a bookmark.
func (e *editing) contentsEntries(ctx context.Context, pick func(p *part, n *node) (level int, text string)) ([]contentsEntry, error) {
	label, err := e.listLabels(ctx)
	if err != nil {
		return nil, err
	}
	p, err := e.body(ctx)
	if err != nil {
		return nil, err
	}
	var out []contentsEntry
	var at []int
	for i, n := range p.nodes {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if n.hidden || n.gone || n.boxed() {
			continue
		}
		level, text := pick(p, n)
		if level < 1 || text == "" {
			continue
		}
		if len(out) == maxContents {
			return nil, formats.Errorf(formats.CodeTooLarge, "the document has more than %d entries for a table of contents; list fewer levels", maxContents)
		}
		out, at = append(out, contentsEntry{level: level, label: label(p, n), text: text}), append(at, i)
	}
	if len(out) == 0 {
		return nil, nil
	}
	marks, err := e.newBookmarks(ctx, "_Toc")
	if err != nil {
		return nil, err
	}
	var splices []xmlscan.Splice
	for i, n := range at {
		var made []xmlscan.Splice
		out[i].mark, made = marks.over(place{p, p.nodes[n]})
		splices = append(splices, made...)
	}
	e.document.splice(p, splices...)
	return out, nil
}

// contentsStyle names the style of entries of a level, or of a table of figures.
func contentsStyle(level int, figures bool) string {
	if figures {
		return "table of figures"
	}
	return fmt.Sprintf("toc %d", level)
}

// contentsStyles adds the styles that entries need: toc 1 to toc 9, table of
// figures.
func (e *editing) contentsStyles(ctx context.Context, entries []contentsEntry, figures bool) error {
	name, doc, err := e.related(ctx, "styles")
	if err != nil || name == "" {
		return err
	}
	root, err := rootOf(doc)
	if err != nil {
		return corrupt(name, err)
	}
	w, add, have := root.prefix, "", map[int]bool{}
	for _, n := range entries {
		if _, ok := e.styles.find(contentsStyle(n.level, figures)); ok || have[n.level] {
			continue
		}
		have[n.level] = true
		id := fmt.Sprintf("TOC%d", n.level)
		if figures {
			id = "TableofFigures"
		}
		if _, taken := e.styles[id]; taken {
			id += "a"
		}
		based := ""
		if std := e.styles.standard(); std != "" {
			based = fmt.Sprintf(`<%[1]sbasedOn %[1]sval="%[2]s"/><%[1]snext %[1]sval="%[2]s"/>`, w, escape(std))
		}
		indent := ""
		if n.level > 1 {
			indent = fmt.Sprintf(`<%[1]sind %[1]s%[2]s="%[3]d"/>`, w, side("left", e.strict), 220*(n.level-1))
		}
		add += fmt.Sprintf(`<%[1]sstyle %[1]stype="paragraph" %[1]sstyleId="%[2]s"><%[1]sname %[1]sval="%[3]s"/>%[4]s<%[1]suiPriority %[1]sval="39"/><%[1]sunhideWhenUsed/><%[1]spPr><%[1]sspacing %[1]safter="100"/>%[5]s</%[1]spPr></%[1]sstyle>`,
			w, id, contentsStyle(n.level, figures), based, indent)
	}
	if add == "" {
		return nil
	}
	e.set(name, xmlscan.Apply(doc, []xmlscan.Splice{{Start: root.innerEnd, End: root.innerEnd, New: []byte(add)}}))
	e.styles, err = e.readStyles(ctx)
	e.lists = nil
	return err
}

// contentsXML writes the paragraphs of a table of contents and their number.
func (e *editing) contentsXML(w string, entries []contentsEntry, title *string, instr string, figures bool) (xml string, count int) {
	var sb strings.Builder
	para := func(style, content string) {
		p := paraProps("", w)
		if id, ok := e.styles.find(style); ok {
			setVal(p, "pStyle", id)
		}
		pPr := p.Optional()
		if e.rev != nil {
			pPr = markParagraph(pPr, w, "ins", e.rev)
		}
		sb.WriteString("<" + w + "p>" + pPr + content + "</" + w + "p>")
		count++
	}
	tracked := func(runs string) string {
		if e.rev == nil {
			return runs
		}
		return "<" + w + "ins" + e.rev.Attrs(w) + ">" + runs + "</" + w + "ins>"
	}
	run := func(content string) string { return "<" + w + "r>" + content + "</" + w + "r>" }
	char := func(kind, more string) string {
		return run("<" + w + "fldChar " + w + `fldCharType="` + kind + `"` + more + "/>")
	}
	if title != nil && *title != "" {
		para("TOC Heading", tracked(run(paragraph.Content(paragraph.Word, w, *title))))
	}
	for i, n := range entries {
		before, after := "", ""
		if i == 0 {
			before = tracked(char("begin", " "+w+`dirty="true"`) + run("<"+w+`instrText xml:space="preserve">`+escape(instr)+"</"+w+"instrText>") + char("separate", ""))
		}
		if i == len(entries)-1 {
			after = tracked(char("end", ""))
		}
		text := n.text
		if n.label != "" && !figures {
			text = n.label + "\t" + text
		}
		link := "<" + w + "hyperlink " + w + `anchor="` + n.mark + `" ` + w + `history="1">` + tracked(run(paragraph.Content(paragraph.Word, w, text))) + "</" + w + "hyperlink>"
		para(contentsStyle(n.level, figures), before+link+after)
	}
	return sb.String(), count
}
