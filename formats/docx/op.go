package docx

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"atelier/formats"
	"atelier/formats/loose"
	"atelier/formats/opc"
)

// Operation is one edit of a document; op says which members count.
type Operation struct {
	Op         string      `json:"op"`
	Text       *string     `json:"text,omitempty" jsonschema:"append_paragraph: its text; a line break begins a new line in the same paragraph"`
	Style      string      `json:"style,omitempty" jsonschema:"append_paragraph: paragraph style by name or id, such as Heading 1"`
	Paragraphs []Paragraph `json:"paragraphs,omitempty" jsonschema:"set_paragraphs: the new content of the document"`
	Search     *string     `json:"search,omitempty" jsonschema:"replace_text: text to find; it may span formatting but not paragraphs"`
	Replace    *string     `json:"replace,omitempty" jsonschema:"replace_text: what takes its place"`
	MatchCase  loose.Bool  `json:"match_case,omitempty" jsonschema:"replace_text: tell upper from lower case; default false"`
}

// Paragraph is a paragraph to write.
type Paragraph struct {
	Text  string `json:"text"`
	Style string `json:"style,omitempty" jsonschema:"paragraph style by name or id"`
}

// legacy are the members older callers use.
type legacy struct {
	Find *string `json:"find"`
}

var opNames = []string{"set_paragraphs", "append_paragraph", "replace_text"}

type editor struct{}

// Operation implements formats.Editor.
func (editor) Operation() (any, []string) { return Operation{}, opNames }

// editing is a document while operations are applied to it.
type editing struct {
	ed     *opc.Edit
	main   string
	styles styles
}

// Apply implements formats.Editor.
func (editor) Apply(ctx context.Context, src formats.Source, dst io.Writer, ops []json.RawMessage, _ formats.ApplyOptions) (formats.Report, error) {
	e, err := begin(ctx, src)
	if err != nil {
		return formats.Report{}, err
	}
	rep := formats.Report{Ops: []formats.OpReport{}}
	for i, raw := range ops {
		var name struct {
			Op string `json:"op"`
		}
		json.Unmarshal(raw, &name) // a bad type shows in decodeOp
		r, err := e.apply(ctx, raw)
		if err != nil {
			return formats.Report{}, formats.InOp(err, i, name.Op)
		}
		r.Index, r.Op = i, name.Op
		rep.Ops = append(rep.Ops, r)
	}
	if e.ed.Changed() && src != nil && e.signed(ctx) {
		rep.Warnings = append(rep.Warnings, "the document is signed; the signature does not fit the edited document")
	}
	return rep, e.ed.Write(ctx, dst)
}

func begin(ctx context.Context, src formats.Source) (*editing, error) {
	e := &editing{}
	if src == nil {
		ed, main, err := blankDocument()
		if err != nil {
			return nil, err
		}
		e.ed, e.main = ed, main
	} else {
		d, err := openDocument(ctx, src)
		if err != nil {
			return nil, err
		}
		e.ed, e.main = d.pkg.Edit(), d.main
	}
	var err error
	e.styles, err = stylesOf(ctx, e.ed, e.ed.ReadXML, e.main)
	return e, err
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

func decodeOp(raw json.RawMessage) (Operation, error) {
	var op Operation
	var old legacy
	if len(bytes.TrimSpace(raw)) == 0 || bytes.TrimSpace(raw)[0] != '{' {
		return op, formats.Errorf(formats.CodeInvalid, "an operation must be an object with a member op")
	}
	if err := json.Unmarshal(raw, &op); err != nil {
		return op, formats.Errorf(formats.CodeInvalid, "%w", err)
	}
	if err := json.Unmarshal(raw, &old); err != nil {
		return op, formats.Errorf(formats.CodeInvalid, "%w", err)
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
	switch op.Op {
	case "set_paragraphs":
		if op.Paragraphs == nil {
			return formats.OpReport{}, formats.Errorf(formats.CodeInvalid, "paragraphs is required")
		}
		return e.setParagraphs(ctx, op.Paragraphs)
	case "append_paragraph":
		if op.Text == nil {
			return formats.OpReport{}, formats.Errorf(formats.CodeInvalid, "text is required")
		}
		return e.appendParagraph(ctx, Paragraph{*op.Text, op.Style})
	case "replace_text":
		switch {
		case op.Search == nil:
			return formats.OpReport{}, formats.Errorf(formats.CodeInvalid, "search is required")
		case op.Replace == nil:
			return formats.OpReport{}, formats.Errorf(formats.CodeInvalid, "replace is required; use \"\" to delete the text")
		}
		return e.replaceText(ctx, *op.Search, *op.Replace, bool(op.MatchCase))
	case "":
		return formats.OpReport{}, formats.Errorf(formats.CodeInvalid, "op is required: one of %v", opNames)
	}
	return formats.OpReport{}, formats.Errorf(formats.CodeInvalid, "unsupported op: %s", op.Op)
}

// styleID resolves a style; an unknown one becomes none, with a warning.
func (e *editing) styleID(want string, rep *formats.OpReport) string {
	if want == "" {
		return ""
	}
	id, ok := e.styles.find(want)
	if !ok {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("the document has no paragraph style %q; the paragraph has none", want))
	}
	return id
}
