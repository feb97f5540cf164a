package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/lenient"
)

type resolveCommentArgs struct {
	cornerArgs
	Resolved *lenient.Bool `json:"resolved" jsonschema:"{ops}: false opens the thread again"`
}

// resolveComment marks the comment thread of a cell as resolved, or opens it
// again ([MS-XLSX] 2.6.205).
func (p *plan) resolveComment(_ context.Context, op resolveCommentArgs) (int, error) {
	at, s, err := p.corner(op.cornerArgs)
	if err != nil {
		return 0, err
	}
	done := op.Resolved == nil || bool(*op.Resolved)
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error {
		cell := cellref.Name(at.Row, at.Col)
		t, err := w.threadOf(ctx, cell)
		if err != nil {
			return err
		}
		if len(t.list) == 0 {
			return formats.Errorf(formats.CodeInvalid, "cell %s has no comment thread, and only threads are resolved; delete a plain comment with delete_comment", cell)
		}
		if t.list[0].done == done {
			w.warn("the thread of %s is %s already; nothing was changed", cell, map[bool]string{false: "open", true: "resolved"}[done])
			return nil
		}
		w.rep.Hits = 1
		w.f.ed.Set(t.part, xmlscan.Apply(t.doc, []xmlscan.Splice{setDone(t.list[0], done)}))
		return nil
	})
	return 0, nil
}
