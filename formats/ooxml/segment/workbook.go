package segment

import (
	"context"
	"slices"
	"strings"

	"atelier/formats/ooxml/opc"
)

// Package is the package that a part is of.
type Package interface {
	Rels(ctx context.Context, source string) ([]opc.Relationship, error)
	Has(name string) bool
}

// Workbook returns the embedded workbook with the data of the chart that the
// part named name is: the one that the chart names (21.2.2.63), or where it
// names none any. It returns "" when there is none that can be written.
func (p *Part) Workbook(ctx context.Context, pkg Package, name string) (string, error) {
	if !slices.ContainsFunc(p.Texts, func(t Text) bool { return t.Cells != "" }) {
		return "", nil
	}
	rels, err := pkg.Rels(ctx, name)
	if err != nil {
		return "", err
	}
	for _, r := range rels {
		if (p.workbookID == "" || r.ID == p.workbookID) && strings.HasSuffix(r.Type, "/package") && !r.External && pkg.Has(r.Target) {
			return r.Target, nil
		}
	}
	return "", nil
}

// Relabel returns a workbook with each cell that says a key of labels, with
// tags, saying its value; nil when no cell does.
type Relabel func(ctx context.Context, file []byte, labels map[string]string) ([]byte, error)

// Update makes the workbook of the chart named name say what the chart's labels
// say now, so that they stay translated once a person edits the data. A workbook
// that cannot be read stays as it is: the chart shows its own copy.
func (r Relabel) Update(ctx context.Context, ed *opc.Edit, p *Part, name string, labels map[string]string) error {
	if len(labels) == 0 {
		return nil
	}
	workbook, err := p.Workbook(ctx, ed, name)
	if err != nil || workbook == "" {
		return err
	}
	file, err := ed.Read(ctx, workbook)
	if err == nil {
		file, err = r(ctx, file, labels)
	}
	if err == nil && file != nil {
		ed.Set(workbook, file)
	}
	return ctx.Err()
}
