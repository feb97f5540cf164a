package docx

import (
	"context"
	"encoding/json"
	"io"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	opset "atelier/formats/ops"
	"atelier/internal/lenient"
)

// operations are in the order in which a reader should learn them.
var operations = opset.NewTable(
	define("replace_text", (*editing).replaceText),
	define("set_paragraph", (*editing).setParagraph),
	define("insert_paragraph", (*editing).insertParagraph),
	define("delete_paragraph", (*editing).deleteParagraph),
	define("append_paragraph", (*editing).appendParagraph),
	define("set_paragraphs", (*editing).setParagraphs),
	define("format_paragraph", (*editing).formatParagraph),
	define("format_text", (*editing).formatText),
	opset.Rare(define("set_list", (*editing).setList)),
	opset.Rare(define("number_headings", (*editing).numberHeadings)),
	define("insert_page_break", (*editing).insertPageBreak),
	define("add_table", (*editing).addTable),
	define("set_table_cell", (*editing).setTableCell),
	define("add_table_row", (*editing).addTableRow),
	define("delete_table_row", (*editing).deleteTableRow),
	opset.Rare(define("add_table_column", (*editing).addTableColumn)),
	opset.Rare(define("delete_table_column", (*editing).deleteTableColumn)),
	define("delete_table", (*editing).deleteTable),
	define("set_header", (*editing).setHeader),
	define("set_footer", (*editing).setFooter),
	opset.Rare(define("add_image", (*editing).addImage)),
	opset.Rare(define("add_chart", (*editing).addChart)),
	opset.Rare(define("change_chart", (*editing).changeChart)),
	opset.Rare(define("delete_chart", (*editing).deleteChart)),
	opset.Rare(define("add_hyperlink", (*editing).addHyperlink)),
	define("add_comment", (*editing).addComment),
	opset.Rare(define("delete_comment", (*editing).deleteComment)),
	opset.Rare(define("fill_form_field", (*editing).fillFormField)),
	opset.Rare(define("add_content_control", (*editing).addContentControl)),
	opset.Rare(define("change_content_control", (*editing).changeContentControl)),
	opset.Rare(define("change_repeating_section", (*editing).changeRepeatingSection)),
	opset.Rare(define("insert_document", (*editing).insertDocument)),
	opset.Rare(define("copy_styles", (*editing).copyStyles)),
	opset.Rare(define("insert_equation", (*editing).insertEquation)),
	opset.Rare(define("replace_equation", (*editing).replaceEquation)),
	opset.Rare(define("set_page_setup", (*editing).setPageSetup)),
	opset.Rare(define("add_footnote", (*editing).addFootnote)),
	opset.Rare(define("delete_footnote", (*editing).deleteFootnote)),
	opset.Rare(define("add_cross_reference", (*editing).addCrossReference)),
	opset.Rare(define("add_table_of_contents", (*editing).addTableOfContents)),
	opset.Rare(define("update_contents", (*editing).updateContents)),
	opset.Rare(define("add_caption", (*editing).addCaption)),
	opset.Rare(define("insert_field", (*editing).insertField)),
	opset.Rare(define("change_field", (*editing).changeField)),
	opset.Rare(define("format_table", (*editing).formatTable)),
	opset.Rare(define("format_section", (*editing).formatSection)),
	opset.Rare(define("insert_section_break", (*editing).insertSectionBreak)),
	opset.Rare(define("delete_section_break", (*editing).deleteSectionBreak)),
	opset.Rare(define("set_watermark", (*editing).setWatermark)),
	opset.Rare(define("accept_changes", (*editing).acceptChanges)),
	opset.Rare(define("reject_changes", (*editing).rejectChanges)),
)

// applying is one operation while it is applied.
type applying struct {
	*editing
	rep formats.OpReport
}

// define is the table's row of an operation.
func define[A any](name string, do func(e *editing, ctx context.Context, args A) (formats.OpReport, error)) opset.Op[*applying] {
	return opset.Define(name, func(a *applying, ctx context.Context, args A) (err error) {
		a.rep, err = do(a.editing, ctx, args)
		return err
	})
}

// trackingArgs are the members of operations whose edits can be recorded as
// revisions.
type trackingArgs struct {
	TrackChanges *lenient.Bool `json:"track_changes" group:"TRACK" jsonschema:"record text edits as revisions"`
	Author       string        `json:"author" jsonschema:"of comments and tracked changes"`
}

func (t trackingArgs) tracking() trackingArgs { return t }

// atArgs is the member of operations on one place. Addresses are those that
// reading with "addresses" shows; they mean the document as the operations
// before left it.
type atArgs struct {
	At string `json:"at" usage:"at" jsonschema:"address: p12, t0.r1.c2, t0.r1.c2.p0, h0.p0 (header), f0.p0, fn2.p0, cm1.p0, x0.p0 (text box), #PARAID"`
}

// severalArgs are the members of operations on paragraphs in a row.
type severalArgs struct {
	atArgs
	Count *lenient.Int `json:"count" jsonschema:"how many from at on; default 1"`
}

// besideArgs are the members of operations that put something beside a block.
type besideArgs struct {
	At    string `json:"at" usage:"at"`
	Where string `json:"where" jsonschema:"before or after at; default after"`
}

// placeArgs are besideArgs that may be left out: the place is then the end.
type placeArgs struct {
	At    string `json:"at"`
	Where string `json:"where" jsonschema:"before or after at; default after"`
}

// textArgs are the members of operations that write one paragraph.
type textArgs struct {
	Text *string `json:"text" usage:"text" jsonschema:"text; \\n is a line break, \\t a tab"`
	Runs []Run   `json:"runs" usage:"or runs" jsonschema:"instead of text: stretches with their own formatting"`
}

// contentArgs are the members of operations that write one paragraph or more.
type contentArgs struct {
	textArgs
	Paragraphs []Paragraph `json:"paragraphs" usage:"or paragraphs" jsonschema:"several paragraphs instead of text"`
}

// listArgs are the members of operations that make new paragraphs.
type listArgs struct {
	List string `json:"list" usage:"list?" jsonschema:"new paragraphs, format_paragraph: continue (the list beside it) or none; without it, a list comes only with a style or like"`
	Like string `json:"like" usage:"or like?" jsonschema:"new paragraphs: address, such as p41, of a paragraph whose style, list and formatting to take"`
}

// matchArgs are the members of operations that search.
type matchArgs struct {
	MatchCase lenient.Bool `json:"match_case" group:"MATCH"`
	WholeWord lenient.Bool `json:"whole_word"`
	Regex     lenient.Bool `json:"regex" jsonschema:"search is an RE2 expression"`
	Scope     []string     `json:"scope" jsonschema:"where to search: body, tables, text_boxes, headers, footers, footnotes, endnotes, comments; default everywhere"`
}

// anchorArgs are the members of operations on a paragraph or on the first text
// found.
type anchorArgs struct {
	At     string  `json:"at" usage:"at"`
	Search *string `json:"search" usage:"or search" old:"find" jsonschema:"{ops}: text to find; it may span formatting but not paragraphs"`
	matchArgs
}

type editor struct{}

// Operation implements formats.Editor.
func (editor) Operation() (any, []string) { return operations.Zero(), operations.Names() }

// Usage implements formats.Editor.
func (editor) Usage(op string) string { return operations.Usage(op) }

// Groups implements formats.Editor.
func (editor) Groups() []formats.MemberGroup { return operations.Groups() }

// Rare implements formats.Editor.
func (editor) Rare(op string) bool { return operations.Rare(op) }

// editing is a document while operations are applied to it.
type editing struct {
	*document
	opt    formats.ApplyOptions
	rev    *paragraph.Revision // of the present operation; nil: edits are not tracked
	nextID int                 // of revisions; 0: not yet looked for
	locked bool                // the file is encrypted
	file   string              // its name, "" of a new one

	met          map[guarded]bool              // guarded places that the present operation edited
	boundBefore  map[string]map[binding]string // texts of bound controls before the first edit, by part
	boundTracked bool                          // one of them was edited with tracked changes

	watched watching
}

// Apply implements formats.Editor.
func (editor) Apply(ctx context.Context, src formats.Source, dst io.Writer, ops []json.RawMessage, opt formats.ApplyOptions) (formats.Report, error) {
	e, err := begin(ctx, src)
	if err != nil {
		return formats.Report{}, err
	}
	e.opt = opt
	if src != nil {
		e.locked, e.file = opc.Locked(src), src.Name()
	}
	rep := formats.Report{Ops: []formats.OpReport{}}
	for i, raw := range ops {
		if err := ctx.Err(); err != nil {
			return formats.Report{}, err
		}
		op, err := operations.Decode(raw)
		if err != nil {
			return formats.Report{}, formats.InOp(err, i, op.Name)
		}
		if err := e.watch(ctx, op.Name, raw); err != nil {
			return formats.Report{}, formats.InOp(err, i, op.Name)
		}
		r, err := e.apply(ctx, op)
		if err != nil {
			return formats.Report{}, formats.InOp(err, i, op.Name)
		}
		r.Index, r.Op = i, op.Name
		r.Warnings = append(r.Warnings, e.caveats()...)
		rep.Ops = append(rep.Ops, r)
	}
	if e.ed.Changed() && src != nil && e.signed(ctx) {
		rep.Warnings = append(rep.Warnings, "the document is signed; the signature does not fit the edited document")
	}
	if e.ed.Changed() && src != nil && e.protected(ctx) {
		rep.Warnings = append(rep.Warnings, "the document is protected against editing; it was edited all the same, the protection stays")
	}
	if rep.Effects, err = e.effects(ctx); err != nil {
		return formats.Report{}, err
	}
	warnings, err := e.writeBoundTexts(ctx)
	if err != nil {
		return formats.Report{}, err
	}
	rep.Warnings = append(rep.Warnings, warnings...)
	return rep, e.ed.Write(ctx, dst)
}

func begin(ctx context.Context, src formats.Source) (*editing, error) {
	if src != nil {
		d, err := openDocument(ctx, src)
		return &editing{document: d}, err
	}
	ed, main, err := blankDocument()
	if err != nil {
		return nil, err
	}
	d := &document{ed: ed, main: main, parsed: map[string]*part{}}
	d.styles, err = d.readStyles(ctx)
	return &editing{document: d}, err
}

func (e *editing) signed(ctx context.Context) bool {
	rels, err := e.ed.Rels(ctx, "")
	if err != nil {
		return false
	}
	for _, r := range rels {
		if r.Type == relSignature {
			return true
		}
	}
	return false
}

// protected reports whether the settings ask applications to restrict editing
// (17.15.1.29).
func (e *editing) protected(ctx context.Context) bool {
	name, doc, err := e.related(ctx, "settings")
	if err != nil || name == "" {
		return false
	}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && t.Is(nsW, "documentProtection") {
			on := t.AttrLocal("enforcement")
			return on == "1" || on == "true" || on == "on"
		}
	}
	return false
}

// related reads the part that the document refers to by a relationship; name
// is "" when there is none.
func (d *document) related(ctx context.Context, rel string) (name string, doc []byte, err error) {
	all, err := d.ed.Rels(ctx, d.main)
	if err != nil {
		return "", nil, err
	}
	for _, r := range all {
		if r.Type == opc.RelPrefix+rel && !r.External && d.ed.Has(r.Target) {
			doc, err := d.ed.ReadXML(ctx, r.Target)
			return r.Target, doc, err
		}
	}
	return "", nil, nil
}

func (e *editing) apply(ctx context.Context, op opset.Call[*applying]) (formats.OpReport, error) {
	e.rev = nil
	if t, ok := op.Args.(interface{ tracking() trackingArgs }); ok {
		track := e.opt.TrackChanges
		if given := t.tracking().TrackChanges; given != nil {
			track = bool(*given)
		}
		if track {
			var err error
			if e.rev, err = e.revision(ctx, t.tracking().Author); err != nil {
				return formats.OpReport{}, err
			}
		}
	}
	before := e.ed.Edits()
	a := &applying{editing: e}
	err := op.Run(ctx, a)
	a.rep.Unchanged = e.ed.Edits() == before
	a.rep.Ignored = append(a.rep.Ignored, op.Ignored...)
	return a.rep, err
}

// revision begins tracked changes with ids that the document does not use.
func (e *editing) revision(ctx context.Context, author string) (*paragraph.Revision, error) {
	who, when := e.opt.Revisor()
	if author != "" {
		who = author
	}
	if err := e.findIDs(ctx); err != nil {
		return nil, err
	}
	return &paragraph.Revision{Author: who, Date: when, NextID: func() int { e.nextID++; return e.nextID }}, nil
}

// findIDs sets nextID to the highest annotation id that is in use.
func (e *editing) findIDs(ctx context.Context) error {
	if e.nextID != 0 {
		return nil
	}
	parts, err := e.textParts(ctx)
	if err != nil {
		return err
	}
	for _, tp := range parts {
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := e.load(ctx, tp)
		if err != nil {
			return err
		}
		e.nextID = max(e.nextID, highestID(p.doc))
	}
	return nil
}

// highestID returns the highest annotation id of a part (17.13): changes,
// comments and bookmarks share no numbers in practice.
func highestID(doc []byte) int {
	most := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Space != nsW {
			continue
		}
		switch t.Local {
		case "ins", "del", "moveFrom", "moveTo", "rPrChange", "pPrChange", "sectPrChange", "tblPrChange", "tcPrChange", "trPrChange", "tblGridChange",
			"cellIns", "cellDel", "cellMerge", "numberingChange", "bookmarkStart", "moveFromRangeStart", "moveToRangeStart", "permStart":
			if n := atoi(t.AttrLocal("id")); n > most && n < 1<<30 {
				most = n
			}
		}
	}
	return most
}

// styleID resolves a style; an unknown one becomes none, with a warning.
// has is the style that the paragraph keeps then.
func (e *editing) styleID(want, has string, rep *formats.OpReport) string {
	if want == "" {
		return ""
	}
	id, ok := e.styles.find(want)
	if !ok {
		instead := "the paragraph has none"
		if has != "" {
			instead = "the paragraph keeps " + e.styles.label(has)
		}
		rep.Warnings = append(rep.Warnings, "the document has no paragraph style \""+want+"\"; "+instead)
	}
	return id
}
