package docx

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode"

	"atelier/formats/docx/internal/audit"
)

// watching tells what an edit causes elsewhere in the body: it looks at the
// document before the first operation that can cause something, and after the
// last one.
type watching struct {
	before *bodyState
}

// bodyState is what effects are told of.
type bodyState struct {
	edits  int // made before
	doc    *audit.Document
	tables []tableFit
}

// textOnly are operations that change no numbers and no tables.
var textOnly = map[string]bool{"format_text": true, "add_comment": true, "delete_comment": true, "add_hyperlink": true, "set_header": true, "set_footer": true, "add_image": true}

// watchedArgs are the members that decide whether a text operation can move
// numbers on.
type watchedArgs struct {
	Text  json.RawMessage `json:"text"`
	Runs  json.RawMessage `json:"runs"`
	Style json.RawMessage `json:"style"`
	List  json.RawMessage `json:"list"`
	Like  json.RawMessage `json:"like"`
}

// watch is called before each operation. name is that of the operation.
func (e *editing) watch(ctx context.Context, name string, raw json.RawMessage) error {
	if e.watched.before != nil || textOnly[name] {
		return nil
	}
	p, err := e.body(ctx)
	if err != nil {
		return nil // the operation says what is wrong
	}
	if !causes(p, name, raw) {
		return nil
	}
	e.watched.before, err = e.state(ctx, p)
	return err
}

// longCell is how many bytes an operation on a cell has that may make its row
// higher than a page, or than its fixed height.
const longCell = 100

// causes reports whether an operation can change something elsewhere.
func causes(p *part, name string, raw json.RawMessage) bool {
	switch name {
	case "replace_text", "set_paragraph":
	case "set_table_cell":
		if len(raw) > longCell {
			return true
		}
	default:
		return true
	}
	if refersToText(p.doc) {
		return true
	}
	var args watchedArgs
	if name == "replace_text" || json.Unmarshal(raw, &args) != nil {
		return false
	}
	text := strings.TrimLeft(string(args.Text), "\" ")
	first := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	return len(args.Style)+len(args.List)+len(args.Like)+len(args.Runs) > 0 || first >= 0 && first < 3
}

// refersToText reports whether a part has fields that repeat text of others: a
// table of contents, cross references.
func refersToText(doc []byte) bool {
	return bytes.Contains(doc, []byte("TOC ")) || bytes.Contains(doc, []byte("REF "))
}

// state takes what effects are told of from the body.
func (e *editing) state(ctx context.Context, p *part) (*bodyState, error) {
	r := auditReader{document: e.document, out: &audit.Document{Bookmarks: map[string]int{}}, levels: map[string]int{}, withoutScan: !refersToText(p.doc)}
	var err error
	if r.lists, err = r.numbering(ctx); err != nil {
		return nil, err
	}
	tables, err := e.tableFits(ctx, p)
	if err != nil {
		return nil, err
	}
	return &bodyState{e.ed.Edits(), r.out, tables}, r.readPart(ctx, p, 0)
}

// effects returns what the operations caused elsewhere.
func (e *editing) effects(ctx context.Context) ([]string, error) {
	before := e.watched.before
	if before == nil || e.ed.Edits() == before.edits {
		return nil, nil
	}
	p, err := e.body(ctx)
	if err != nil {
		return nil, err
	}
	after, err := e.state(ctx, p)
	if err != nil {
		return nil, err
	}
	return append(audit.Effects(ctx, before.doc, after.doc), tableEffects(before.tables, after.tables)...), ctx.Err()
}
