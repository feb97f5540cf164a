package office

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
)

type auditArgs struct {
	Path   string       `json:"path" jsonschema:"xlsx, docx or pptx file"`
	Cell   string       `json:"cell,omitempty" jsonschema:"xlsx: Sheet!A1, what this cell reads and what reads it, instead of findings"`
	Kinds  []string     `json:"kinds,omitempty" jsonschema:"Only these kinds of findings; map: what sheets read from each other, what a deck is made of"`
	Limit  *lenient.Int `json:"limit,omitempty" jsonschema:"Findings to return, default 40"`
	Offset *lenient.Int `json:"offset,omitempty" jsonschema:"Findings to skip"`
}

// auditResult is the answer of the tool audit.
type auditResult struct {
	Path     string            `json:"path"`
	Total    int               `json:"findings_total"`
	Counts   map[string]int    `json:"counts,omitempty"` // by kind
	Unseen   []string          `json:"not_looked_at,omitempty"`
	More     int               `json:"more,omitempty"`
	Next     string            `json:"next,omitempty"`
	Findings []formats.Finding `json:"findings"`
	Map      any               `json:"map,omitempty"`
}

// tracedCell is the answer about one cell.
type tracedCell struct {
	Path   string   `json:"path"`
	Unseen []string `json:"not_looked_at,omitempty"`
	Trace  any      `json:"trace"`
}

// auditAnswer is either of them.
type auditAnswer struct {
	auditResult
	Trace any `json:"trace,omitempty"`
}

const auditLimit = 40

// Audit returns the tool that looks for likely mistakes in a file.
func Audit() *tools.Tool {
	return tools.New("audit", "Look for likely mistakes in a file, without changing it. xlsx: formulas that break the pattern of their row or column, numbers typed over formulas, totals that miss cells, odd signs and units, errors at their source, circular references. docx: headings out of order, broken references, terms defined and not used, gaps in numbers, placeholders. pptx: texts that overflow, overlap or leave the slide, titles, fonts and colours that differ, low contrast, empty placeholders.", tools.Read, audit).Gives(reflect.TypeFor[auditAnswer]())
}

func audit(ctx context.Context, env *tools.Env, a auditArgs) (any, error) {
	src, f, err := tools.OpenFile(ctx, env, a.Path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if f.Auditor == nil {
		return nil, workshop.Faultf(workshop.Invalid, "%s is %s file; audit takes xlsx, docx and pptx files", a.Path, f.Kind.WithArticle()).OnField("path")
	}
	known := f.Auditor.AuditKinds()
	if f.Kind == formats.KindXlsx || f.Kind == formats.KindPptx {
		known = append(known, "map")
	}
	if f.Kind != formats.KindXlsx && a.Cell != "" {
		return nil, workshop.Faultf(workshop.Invalid, "cell is for xlsx files; %s is %s file", a.Path, f.Kind.WithArticle()).OnField("cell")
	}
	for _, k := range a.Kinds {
		if !slices.Contains(known, k) {
			return nil, workshop.Faultf(workshop.Invalid, "unknown kind: %s (there are %s)", k, strings.Join(known, ", ")).OnField("kinds")
		}
	}
	found, err := f.Auditor.Audit(ctx, src, formats.AuditOptions{Cell: a.Cell, Kinds: a.Kinds})
	if err != nil {
		return nil, err
	}
	if a.Cell != "" {
		return tracedCell{a.Path, found.Unseen, found.Trace}, nil
	}
	return auditPage(env, a, found)
}

// auditPage returns as many findings as were asked for and fit.
func auditPage(env *tools.Env, a auditArgs, found *formats.Audit) (any, error) {
	limit, offset := auditLimit, 0
	if a.Limit != nil && *a.Limit > 0 {
		limit = int(*a.Limit)
	}
	if a.Offset != nil {
		offset = min(max(0, int(*a.Offset)), len(found.Findings))
	}
	out := auditResult{Path: a.Path, Total: len(found.Findings) + found.Omitted, Unseen: found.Unseen, Findings: []formats.Finding{}}
	if offset == 0 {
		out.Map = found.Map
		out.Counts = found.Counts
	}
	out.Findings = append(out.Findings, found.Findings[offset:min(len(found.Findings), offset+limit)]...)
	for {
		shown := offset + len(out.Findings)
		if out.More, out.Next = out.Total-shown, ""; shown < len(found.Findings) {
			out.Next = fmt.Sprintf("offset=%d", shown)
		}
		b, err := tools.Compact(out)
		if err != nil || len(b) <= env.Max() || len(out.Findings) <= 1 {
			return out, err
		}
		out.Findings = out.Findings[:len(out.Findings)*3/4]
	}
}
