package docx

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// Operation is one edit of a document; op says which members count. Addresses
// are those that reading with "addresses" shows; they mean the document as the
// operations before left it.
type Operation struct {
	Op         string       `json:"op"`
	At         string       `json:"at,omitempty" jsonschema:"address: p12, t0.r1.c2, t0.r1.c2.p0, h0.p0 (header), f0.p0, fn2.p0, cm1.p0, x0.p0 (text box), #PARAID"`
	Where      string       `json:"where,omitempty" jsonschema:"before or after at; default after"`
	Count      *lenient.Int `json:"count,omitempty" jsonschema:"how many from at on; default 1"`
	Paragraph               // of append_, insert_, set_ and format_paragraph, set_table_cell, set_header, set_footer
	Paragraphs []Paragraph  `json:"paragraphs,omitempty" jsonschema:"several paragraphs instead of text"`

	Search    *string      `json:"search,omitempty" jsonschema:"replace_text, format_text, add_hyperlink, add_comment: text to find; it may span formatting but not paragraphs"`
	Replace   *string      `json:"replace,omitempty" jsonschema:"replace_text: what takes its place; with regex $1 is the first group"`
	MatchCase lenient.Bool `json:"match_case,omitempty"`
	WholeWord lenient.Bool `json:"whole_word,omitempty"`
	Regex     lenient.Bool `json:"regex,omitempty" jsonschema:"search is an RE2 expression"`
	Scope     []string     `json:"scope,omitempty" jsonschema:"where to search: body, tables, text_boxes, headers, footers, footnotes, endnotes, comments; default everywhere"`

	Rows      [][]string   `json:"rows,omitempty" jsonschema:"add_table: cells by row"`
	Cells     []string     `json:"cells,omitempty" jsonschema:"add_table_row, add_table_column: texts"`
	HeaderRow lenient.Bool `json:"header_row,omitempty" jsonschema:"add_table: the first row is repeated on each page"`

	Path   string         `json:"path,omitempty" jsonschema:"add_image: picture file (png, jpeg, gif); copy_styles: document to copy from"`
	Styles []string       `json:"styles,omitempty" jsonschema:"copy_styles: names of styles"`
	Width  *lenient.Float `json:"width,omitempty" jsonschema:"inches"`
	Height *lenient.Float `json:"height,omitempty" jsonschema:"inches"`
	Alt    string         `json:"alt,omitempty" jsonschema:"description of the picture"`

	URL    string       `json:"url,omitempty" jsonschema:"add_hyperlink: target"`
	ID     *lenient.Int `json:"id,omitempty" jsonschema:"delete_comment: comment id"`
	Type   string       `json:"type,omitempty" jsonschema:"set_header, set_footer: default, first or even"`
	Author string       `json:"author,omitempty" jsonschema:"of comments and tracked changes; accept_changes, reject_changes: only those of this author"`

	TrackChanges *lenient.Bool `json:"track_changes,omitempty" jsonschema:"record text edits as revisions"`
}

// legacy are the members older callers use.
type legacy struct {
	Find *string `json:"find"`
}

type opFunc func(e *editing, ctx context.Context, op Operation) (formats.OpReport, error)

// operations in the order a reader should learn them.
var operations = []struct {
	name string
	do   opFunc
}{
	{"replace_text", (*editing).replaceText},
	{"set_paragraph", (*editing).setParagraph},
	{"insert_paragraph", (*editing).insertParagraph},
	{"delete_paragraph", (*editing).deleteParagraph},
	{"append_paragraph", (*editing).appendParagraph},
	{"set_paragraphs", (*editing).setParagraphs},
	{"format_paragraph", (*editing).formatParagraph},
	{"format_text", (*editing).formatText},
	{"insert_page_break", (*editing).insertPageBreak},
	{"add_table", (*editing).addTable},
	{"set_table_cell", (*editing).setTableCell},
	{"add_table_row", (*editing).addTableRow},
	{"delete_table_row", (*editing).deleteTableRow},
	{"add_table_column", (*editing).addTableColumn},
	{"delete_table_column", (*editing).deleteTableColumn},
	{"delete_table", (*editing).deleteTable},
	{"set_header", (*editing).setHeader},
	{"set_footer", (*editing).setFooter},
	{"add_image", (*editing).addImage},
	{"add_hyperlink", (*editing).addHyperlink},
	{"add_comment", (*editing).addComment},
	{"delete_comment", (*editing).deleteComment},
	{"copy_styles", (*editing).copyStyles},
	{"accept_changes", (*editing).acceptChanges},
	{"reject_changes", (*editing).rejectChanges},
}

func opNames() []string {
	var names []string
	for _, o := range operations {
		names = append(names, o.name)
	}
	return names
}

type editor struct{}

// Operation implements formats.Editor.
func (editor) Operation() (any, []string) { return Operation{}, opNames() }

// editing is a document while operations are applied to it.
type editing struct {
	*document
	opt    formats.ApplyOptions
	rev    *paragraph.Revision // of the present operation; nil: edits are not tracked
	nextID int                 // of revisions; 0: not yet looked for

	met          map[guarded]bool              // guarded places that the present operation edited
	boundBefore  map[string]map[binding]string // texts of bound controls before the first edit, by part
	boundTracked bool                          // one of them was edited with tracked changes
}

// Apply implements formats.Editor.
func (editor) Apply(ctx context.Context, src formats.Source, dst io.Writer, ops []json.RawMessage, opt formats.ApplyOptions) (formats.Report, error) {
	e, err := begin(ctx, src)
	if err != nil {
		return formats.Report{}, err
	}
	e.opt = opt
	rep := formats.Report{Ops: []formats.OpReport{}}
	for i, raw := range ops {
		var name struct {
			Op string `json:"op"`
		}
		json.Unmarshal(raw, &name) // a bad type shows in decodeOp
		if err := ctx.Err(); err != nil {
			return formats.Report{}, err
		}
		r, err := e.apply(ctx, raw)
		if err != nil {
			return formats.Report{}, formats.InOp(err, i, name.Op)
		}
		r.Index, r.Op = i, name.Op
		r.Warnings = append(r.Warnings, e.caveats()...)
		rep.Ops = append(rep.Ops, r)
	}
	if e.ed.Changed() && src != nil && e.signed(ctx) {
		rep.Warnings = append(rep.Warnings, "the document is signed; the signature does not fit the edited document")
	}
	if e.ed.Changed() && src != nil && e.protected(ctx) {
		rep.Warnings = append(rep.Warnings, "the document is protected against editing; it was edited all the same, the protection stays")
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

func decodeOp(raw json.RawMessage) (Operation, error) {
	var op Operation
	var old legacy
	if len(bytes.TrimSpace(raw)) == 0 || bytes.TrimSpace(raw)[0] != '{' {
		return op, formats.Errorf(formats.CodeInvalid, "an operation must be an object with a member op")
	}
	for _, v := range []any{&op, &old} {
		if err := json.Unmarshal(raw, v); err != nil {
			return op, formats.Errorf(formats.CodeInvalid, "%s", lenient.Problem(err))
		}
	}
	if op.Search == nil {
		op.Search = old.Find
	}
	return op, nil
}

func (e *editing) apply(ctx context.Context, raw json.RawMessage) (formats.OpReport, error) {
	op, err := decodeOp(raw)
	if err != nil {
		return formats.OpReport{}, err
	}
	if op.Op == "" {
		return formats.OpReport{}, formats.Errorf(formats.CodeInvalid, "op is required: one of %s", strings.Join(opNames(), ", "))
	}
	track := e.opt.TrackChanges
	if op.TrackChanges != nil {
		track = bool(*op.TrackChanges)
	}
	track = track && slices.Contains(members.Takes(op.Op), "track_changes")
	e.rev = nil
	if track {
		if e.rev, err = e.revision(ctx, op.Author); err != nil {
			return formats.OpReport{}, err
		}
	}
	for _, o := range operations {
		if o.name == op.Op {
			before := e.ed.Edits()
			rep, err := o.do(e, ctx, op)
			rep.Unchanged = e.ed.Edits() == before
			rep.Ignored = append(rep.Ignored, members.Ignored(raw)...)
			return rep, err
		}
	}
	return formats.OpReport{}, formats.Errorf(formats.CodeInvalid, "unsupported op: %s", op.Op)
}

// revision begins tracked changes with ids that the document does not use.
func (e *editing) revision(ctx context.Context, author string) (*paragraph.Revision, error) {
	who, when := e.opt.Revisor()
	if author != "" {
		who = author
	}
	if e.nextID == 0 {
		parts, err := e.textParts(ctx)
		if err != nil {
			return nil, err
		}
		for _, tp := range parts {
			if tp.dialect != paragraph.Word {
				continue
			}
			p, err := e.load(ctx, tp)
			if err != nil {
				return nil, err
			}
			e.nextID = max(e.nextID, highestID(p.doc))
		}
	}
	return &paragraph.Revision{Author: who, Date: when, NextID: func() int { e.nextID++; return e.nextID }}, nil
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
