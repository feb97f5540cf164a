package docx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// sequenceField is a SEQ field of the body (17.16.5.56).
type sequenceField struct {
	fieldAt
	in instruction
}

// sequenceFields lists the fields of a sequence in the order of the document.
func (e *editing) sequenceFields(ctx context.Context, id string) (*part, []sequenceField, error) {
	p, err := e.body(ctx)
	if err != nil {
		return nil, nil, err
	}
	all, err := fieldsOf(ctx, p.doc)
	if err != nil {
		return nil, nil, corrupt(p.name, err)
	}
	var out []sequenceField
	for _, f := range all {
		if in := parseInstruction(f.instr); in.name == "SEQ" && len(in.args) > 0 && strings.EqualFold(in.args[0], id) {
			out = append(out, sequenceField{f, in})
		}
	}
	slices.SortFunc(out, func(a, b sequenceField) int { return a.all.start - b.all.start })
	return p, out, nil
}

// next returns the number of a field behind one with the number before, and
// whether it can be told here: \s counts anew at headings.
func (in instruction) next(before int) (n int, known bool) {
	n = before + 1
	if _, ok := in.get(`\c`); ok {
		n = before
	}
	if r, ok := in.get(`\r`); ok {
		n = max(0, atoi(r))
	}
	_, chapters := in.get(`\s`)
	return n, !chapters
}

// number writes a number in the format of a field (17.16.4.3.1).
func (in instruction) number(n int) string {
	format := ""
	for _, s := range in.switches {
		if s.name == `\*` {
			switch s.arg {
			case "ROMAN":
				format = "upperRoman"
			case "roman":
				format = "lowerRoman"
			case "ALPHABETIC":
				format = "upperLetter"
			case "alphabetic":
				format = "lowerLetter"
			}
		}
	}
	return (&listLevel{format: format}).number(n, false)
}

// sequenceResult returns the number of a new field at an offset of the body.
func (e *editing) sequenceResult(ctx context.Context, in instruction, at int) (fieldResult, error) {
	_, all, err := e.sequenceFields(ctx, in.args[0])
	if err != nil {
		return fieldResult{}, err
	}
	n, sure := 0, true
	for _, f := range all {
		if f.all.start >= at {
			break
		}
		m, known := f.in.next(n)
		n, sure = m, sure && known
	}
	n, known := in.next(n)
	if _, hidden := in.get(`\h`); hidden {
		return fieldResult{}, nil
	}
	return fieldResult{text: in.number(n), dirty: !sure || !known}, nil
}

// renumberSequence writes the numbers of a sequence anew and returns how many
// differed. It leaves sequences that count by chapter.
func (e *editing) renumberSequence(ctx context.Context, id string) (changed int, err error) {
	p, all, err := e.sequenceFields(ctx, id)
	if err != nil {
		return 0, err
	}
	var splices []xmlscan.Splice
	n := 0
	for _, f := range all {
		known := false
		if n, known = f.in.next(n); !known {
			return 0, nil
		}
		if _, hidden := f.in.get(`\h`); hidden || f.result.end <= f.result.start {
			continue
		}
		if now := f.in.number(n); now != plainText(p.doc[f.result.start:f.result.end]) {
			splices = append(splices, resultText(p, f.result, now)...)
			changed++
		}
	}
	e.document.splice(p, splices...)
	return changed, nil
}
