package docx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// addCaptionArgs are the members of add_caption.
type addCaptionArgs struct {
	At    string  `json:"at" usage:"at (a table, or the paragraph with a picture)"`
	Text  *string `json:"text" usage:"text" jsonschema:"text; \\n is a line break, \\t a tab"`
	Label string  `json:"label" usage:"label? (Table, Figure or another word)" jsonschema:"{ops}: of captions, such as Figure or Table"`
	Where string  `json:"where" usage:"where? (default above tables, below others)" jsonschema:"before or after at; default after"`
	trackingArgs
}

// addCaption puts a caption beside a table or a picture: a label, a number that
// counts by itself (SEQ, 17.16.5.56), and a text, in the style Caption. Captions of
// the label behind it get the numbers that follow.
func (e *editing) addCaption(ctx context.Context, op addCaptionArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	pl, err := e.resolve(ctx, op.At)
	if err != nil {
		return rep, err
	}
	if pl.kind == rowNode || pl.kind == cellNode {
		for pl.node.kind != tableNode {
			pl.node = pl.node.parent
		}
	}
	table := pl.kind == tableNode
	label, where := op.Label, op.Where
	if label == "" {
		label = map[bool]string{true: "Table", false: "Figure"}[table]
	}
	if where == "" {
		where = map[bool]string{true: "before", false: "after"}[table]
	}
	if err := checkSequence(label); err != nil {
		return rep, err
	}
	if pl, _, err = e.beside(ctx, besideArgs{At: e.addressOf(ctx, pl), Where: where}); err != nil {
		return rep, err
	}
	if pl.name != e.main {
		return rep, formats.Errorf(formats.CodeInvalid, "captions stand in the body; %s is in %s", op.At, pl.what)
	}
	if !table && describeContents(pl.doc[pl.start:pl.end]) == "" {
		rep.Warnings = append(rep.Warnings, op.At+" has no picture, table or equation; the caption was put beside it all the same")
	}
	style, err := e.captionStyle(ctx)
	if err != nil {
		return rep, err
	}
	if pl, err = e.resolve(ctx, e.addressOf(ctx, pl)); err != nil {
		return rep, err
	}
	at := pl.end
	if strings.EqualFold(where, "before") {
		at = pl.start
	}
	in := instruction{name: "SEQ", args: []string{label}}
	r, err := e.sequenceResult(ctx, in, at)
	if err != nil {
		return rep, err
	}
	w := pl.prefix
	pPr := paraProps("", w)
	setVal(pPr, "pStyle", style)
	if at == pl.start {
		setFlag(pPr, "keepNext", true)
	}
	props := pPr.Optional()
	run := func(text string) string {
		return "<" + w + "r>" + paragraph.Content(paragraph.Word, w, text) + "</" + w + "r>"
	}
	content := run(label+" ") + fieldRuns(w, "", " SEQ "+label+` \* ARABIC `, r.text, false)
	if op.Text != nil && *op.Text != "" {
		content += run(": " + *op.Text)
	}
	if e.rev != nil {
		props = markParagraph(props, w, "ins", e.rev)
	}
	content = e.recorded(w, "ins", content)
	var splices []xmlscan.Splice
	if !table && at == pl.end {
		splices = e.keepWithCaption(pl)
	}
	rep.Moved = movedBy(e.paragraphAfter(ctx, pl, at), 1)
	part := pl.part
	e.splice(part, append(splices, xmlscan.Splice{Start: at, End: at, New: []byte("<" + w + "p>" + props + content + "</" + w + "p>")})...)
	grown := 0
	for _, s := range splices {
		grown += len(s.New) - (s.End - s.Start)
	}
	now, nodes, err := e.writtenAt(ctx, part, at+grown, 1)
	if err != nil {
		return rep, err
	}
	if len(nodes) > 0 {
		rep.Made = e.addressOf(ctx, place{now, nodes[0]})
		rep.Notes = append(rep.Notes, fmt.Sprintf("reads %q", clip(now.paras[nodes[0].para].Text(), 80)))
	}
	return rep, e.renumber(ctx, in, &rep)
}

// keepWithCaption keeps a picture on the page of the caption below it, where
// changes are not tracked.
func (e *editing) keepWithCaption(pl place) []xmlscan.Splice {
	before := pl.raw(pl.props)
	p := paraProps(before, pl.prefix)
	if e.rev != nil || p.Get("keepNext") != "" || pl.empty {
		return nil
	}
	setFlag(p, "keepNext", true)
	return propsSplice(pl, p.Optional())
}

// captionStyle returns the style of captions, which it makes where there is none.
func (e *editing) captionStyle(ctx context.Context) (string, error) {
	if id, ok := e.styles.find("caption"); ok {
		return id, nil
	}
	name, doc, err := e.related(ctx, "styles")
	if err != nil || name == "" {
		return "", err
	}
	root, err := rootOf(doc)
	if err != nil {
		return "", corrupt(name, err)
	}
	w, id := root.prefix, "Caption"
	if _, taken := e.styles[id]; taken {
		id += "a"
	}
	based := ""
	if std := e.styles.standard(); std != "" {
		based = fmt.Sprintf(`<%[1]sbasedOn %[1]sval="%[2]s"/><%[1]snext %[1]sval="%[2]s"/>`, w, escape(std))
	}
	style := fmt.Sprintf(`<%[1]sstyle %[1]stype="paragraph" %[1]sstyleId="%[2]s"><%[1]sname %[1]sval="caption"/>%[3]s<%[1]suiPriority %[1]sval="35"/><%[1]sunhideWhenUsed/><%[1]sqFormat/><%[1]spPr><%[1]sspacing %[1]safter="200"/></%[1]spPr><%[1]srPr><%[1]si/><%[1]siCs/><%[1]ssz %[1]sval="18"/><%[1]sszCs %[1]sval="18"/></%[1]srPr></%[1]sstyle>`, w, id, based)
	e.set(name, xmlscan.Apply(doc, []xmlscan.Splice{{Start: root.innerEnd, End: root.innerEnd, New: []byte(style)}}))
	e.styles, err = e.readStyles(ctx)
	e.lists = nil
	return id, err
}
