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
// heading of the body that links to it (17.16.5.68). Entries have no page
// numbers: these are made by the application that lays out pages, when it updates
// the field, for which it is marked.
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
	entries, err := e.contentsEntries(ctx, deepest)
	if err != nil {
		return rep, err
	}
	if err := e.contentsStyles(ctx, entries); err != nil {
		return rep, err
	}
	pl, at, err := e.beside(ctx, op.besideArgs) // again, as bookmarks moved it
	if err != nil {
		return rep, err
	}
	rep.Hits = len(entries)
	xml, count := e.contentsXML(pl.prefix, entries, op.Text, deepest)
	rep.Moved = movedBy(e.paragraphAfter(ctx, pl, at), count)
	e.splice(pl.part, xmlscan.Splice{Start: at, End: at, New: []byte(xml)})
	rep.Notes = append(rep.Notes, fmt.Sprintf("%d entries without page numbers; these come when the table is updated: Word does it on opening (it may ask) or with F9", len(entries)))
	return rep, nil
}

// contentsEntries lists the headings of the body down to a level and gives each a
// bookmark.
func (e *editing) contentsEntries(ctx context.Context, deepest int) ([]contentsEntry, error) {
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
		level := e.styles.level(n.style)
		text := strings.Join(strings.Fields(p.paras[i].Text()), " ")
		if n.hidden || n.gone || n.boxed() || level < 1 || level > deepest || text == "" {
			continue
		}
		if len(out) == maxContents {
			return nil, formats.Errorf(formats.CodeTooLarge, "the document has more than %d headings down to level %d; give a smaller level", maxContents, deepest)
		}
		out, at = append(out, contentsEntry{level: level, label: label(p, n), text: text}), append(at, i)
	}
	if len(out) == 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "the body has no headings down to level %d; give headings a style such as Heading 1 first", deepest)
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

// contentsStyles adds the styles toc 1 to toc 9 that entries need.
func (e *editing) contentsStyles(ctx context.Context, entries []contentsEntry) error {
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
		if _, ok := e.styles.find(fmt.Sprintf("toc %d", n.level)); ok || have[n.level] {
			continue
		}
		have[n.level] = true
		id := fmt.Sprintf("TOC%d", n.level)
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
		add += fmt.Sprintf(`<%[1]sstyle %[1]stype="paragraph" %[1]sstyleId="%[2]s"><%[1]sname %[1]sval="toc %[3]d"/>%[4]s<%[1]suiPriority %[1]sval="39"/><%[1]sunhideWhenUsed/><%[1]spPr><%[1]sspacing %[1]safter="100"/>%[5]s</%[1]spPr></%[1]sstyle>`,
			w, id, n.level, based, indent)
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
func (e *editing) contentsXML(w string, entries []contentsEntry, title *string, deepest int) (xml string, count int) {
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
			instr := fmt.Sprintf(` TOC \o "1-%d" \h \z \u `, deepest)
			before = tracked(char("begin", " "+w+`dirty="true"`) + run("<"+w+`instrText xml:space="preserve">`+escape(instr)+"</"+w+"instrText>") + char("separate", ""))
		}
		if i == len(entries)-1 {
			after = tracked(char("end", ""))
		}
		text := n.text
		if n.label != "" {
			text = n.label + "\t" + text
		}
		link := "<" + w + "hyperlink " + w + `anchor="` + n.mark + `" ` + w + `history="1">` + tracked(run(paragraph.Content(paragraph.Word, w, text))) + "</" + w + "hyperlink>"
		para(fmt.Sprintf("toc %d", n.level), before+link+after)
	}
	return sb.String(), count
}
