package office

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ops"
	"atelier/formats/pptx"
	"atelier/formats/xlsx"
	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
)

type officeArgs struct {
	Path            string            `json:"path" jsonschema:"File path"`
	CreateIfMissing lenient.Bool      `json:"create_if_missing,omitempty" jsonschema:"Create the file if it does not exist"`
	CreateNew       lenient.Bool      `json:"create_new,omitempty" jsonschema:"Create a new file; with copy_from, from a copy of that file"`
	CopyFrom        string            `json:"copy_from,omitempty" jsonschema:"File to copy before the operations are applied"`
	Operations      []json.RawMessage `json:"operations" jsonschema:"Operations, applied in order: all of them or none"`
	DryRun          lenient.Bool      `json:"dry_run,omitempty" jsonschema:"Report what the operations would do without writing"`
	Literal         lenient.Bool      `json:"literal,omitempty" jsonschema:"Write texts too that look like notes of Atelier's own"`
	TrackChanges    lenient.Bool      `json:"track_changes,omitempty" jsonschema:"Record text edits as revisions (docx only)"`
}

// Operations is the tool xlsx_operations, docx_operations or pptx_operations.
// The format's editor supplies the schema of an operation.
func Operations(kind formats.Kind) *tools.Tool {
	editor := map[formats.Kind]*formats.Format{
		formats.KindXlsx: xlsx.Format(), formats.KindDocx: docx.Format(), formats.KindPptx: pptx.Format(),
	}[kind].Editor
	name := string(kind) + "_operations"
	t := tools.New(name, fmt.Sprintf("Apply operations to a %s file in the draft. All operations of a call are applied, or none; what they do not concern stays as it is.", kind), tools.Write,
		func(ctx context.Context, env *tools.Env, a officeArgs) (any, error) {
			return applyOffice(ctx, env, kind, editor, a)
		})
	if kind != formats.KindDocx {
		delete(t.Schema.Properties, "track_changes")
	}
	if err := operationsSchema(t, editor); err != nil {
		panic("tools: " + name + ": " + err.Error())
	}
	return t
}

func applyOffice(ctx context.Context, env *tools.Env, kind formats.Kind, editor formats.Editor, a officeArgs) (any, error) {
	p, err := tools.ParsePath(a.Path)
	if err != nil {
		return nil, err
	}
	if k := formats.KindOfName(a.Path); k != kind {
		return nil, workshop.Faultf(workshop.Invalid, "%s is %s file, not %s; use the tool of its kind", a.Path, k.WithArticle(), kind).OnField("path")
	}
	if len(a.Operations) == 0 && a.CopyFrom == "" {
		return nil, workshop.Faultf(workshop.Invalid, "operations is required").OnField("operations")
	}
	for i, op := range a.Operations {
		if flat, err := ops.Flatten(op); err == nil { // else Apply says which operation is wrong
			a.Operations[i] = flat
		}
	}
	if err := refuseMarks(a); err != nil {
		return nil, err
	}
	base, created, opt, err := officeBase(ctx, env, p, a)
	if err != nil {
		return nil, err
	}
	var src formats.Source
	if base != nil {
		defer base.Close()
		src = base
	}
	var report formats.Report
	calculated := false
	write := func(w io.Writer) error {
		var err error
		report, err = editor.Apply(ctx, src, w, a.Operations, formats.ApplyOptions{
			TrackChanges: bool(a.TrackChanges), Author: env.Author, Open: openOther(env, src), Calculate: true, Language: env.Formats.Language})
		calculated = report.Calculated > 0
		return err
	}
	unchanged := bool(a.DryRun)
	if a.DryRun {
		err = write(io.Discard)
	} else {
		opt.Same, opt.Calculated = sameParts{ctx}, &calculated
		var e workshop.Entry
		e, err = env.View.Put(ctx, p, opt, write)
		unchanged = e.Unchanged
	}
	if err != nil {
		return nil, refusalOf(err, len(a.Operations))
	}
	outcome := outcomeLine(a, created, unchanged, report)
	if unchanged {
		env.ChangedNothing()
	}
	for i := range report.Ops {
		report.Ops[i].Unchanged = report.Ops[i].Unchanged || unchanged && !bool(a.DryRun)
	}
	result := officeResult(a, outcome, report)
	if a.TrackChanges && kind != formats.KindDocx {
		result += "\nignored track_changes: only docx files have tracked changes"
	}
	return result, nil
}

// refusalOf returns the error of a failed call. What an operation cannot do is the fault
// of the call, not of a file that cannot be read. The position of the failing operation
// is left out if there is only one: the message is then that of W-47 or X-41 and names
// the op itself.
func refusalOf(err error, ops int) error {
	var fe *formats.Error
	if !errors.As(err, &fe) || fe.Op == 0 {
		return err
	}
	c := *fe
	if c.Code == formats.CodeUnsupported || c.Code == formats.CodeTooLarge {
		c.Code = formats.CodeInvalid
	}
	if ops == 1 {
		c.Op = 0
	}
	return &c
}

// openOther lets an operation refer to another file of the workbench.
// What is in an encrypted file is not put into one that is not.
func openOther(env *tools.Env, target formats.Source) func(context.Context, string) (formats.SourceCloser, error) {
	return func(ctx context.Context, path string) (formats.SourceCloser, error) {
		p, err := tools.ParsePath(path)
		if err != nil {
			return nil, err
		}
		src, err := env.View.Open(ctx, p)
		if err == nil && opc.Locked(src) && (target == nil || !opc.Locked(target)) {
			src.Close()
			return nil, formats.Errorf(formats.CodeUnsupported, "%s is encrypted with a password, and the file that is edited is not: its content would be stored without one", path)
		}
		if err != nil {
			return nil, err
		}
		return src, nil
	}
}

// officeBase opens the base of the operations: the file itself, the file to
// copy, or nil for a new document (X-20, C-34).
func officeBase(ctx context.Context, env *tools.Env, p workshop.Path, a officeArgs) (base workshop.Source, created bool, opt workshop.PutOptions, err error) {
	if a.CopyFrom != "" {
		from, err := tools.ParsePath(a.CopyFrom)
		if err != nil {
			return nil, false, opt, err
		}
		base, err := env.View.Open(ctx, from)
		if workshop.IsFault(err, workshop.NotFound) {
			return nil, false, opt, workshop.Faultf(workshop.NotFound, "FILE_READ_FAILED: source file not found: %s", a.CopyFrom).OnField("copy_from")
		}
		return base, true, workshop.PutOptions{CreateOnly: true, Copied: &workshop.Copied{From: from, Source: base}}, err
	}
	base, err = env.View.Open(ctx, p)
	switch {
	case err == nil && bool(a.CreateNew):
		base.Close()
		return nil, false, opt, workshop.Faultf(workshop.Conflict, "%s exists already; leave create_new out to edit it", a.Path).OnField("create_new")
	case err == nil:
		return base, false, workshop.PutOptions{BaseHash: base.Hash()}, nil
	case workshop.IsFault(err, workshop.NotFound) && bool(a.CreateIfMissing || a.CreateNew):
		return nil, true, workshop.PutOptions{CreateOnly: true}, nil
	}
	return nil, false, opt, err
}

// sameParts compares two office files by their parts, regardless of
// compression.
type sameParts struct{ ctx context.Context }

// Same implements workshop.Comparer.
func (s sameParts) Same(now, written formats.Source) (bool, error) {
	return opc.Same(s.ctx, now, written)
}

// outcomeLine returns the first line of the result.
func outcomeLine(a officeArgs, created, unchanged bool, r formats.Report) string {
	idle := !created
	for _, op := range r.Ops {
		idle = idle && op.Unchanged
	}
	n := len(a.Operations)
	switch {
	case bool(a.DryRun) && idle:
		return fmt.Sprintf("Dry run: nothing would change in %s; nothing was written", a.Path)
	case bool(a.DryRun):
		return fmt.Sprintf("Dry run: %d operations would succeed on %s; nothing was written", n, a.Path)
	case created:
		return "Successfully created " + a.Path
	case unchanged && idle:
		return "Nothing was changed in " + a.Path
	case unchanged:
		return fmt.Sprintf("Nothing was changed in %s: it already is what the operations would make of it", a.Path)
	}
	return fmt.Sprintf("Successfully updated %s (%d operations)", a.Path, n)
}

// officeResult returns the outcome, with a line for each operation that the
// model should know more about: hits, created objects, warnings, no change.
func officeResult(a officeArgs, outcome string, r formats.Report) string {
	var sb strings.Builder
	sb.WriteString(outcome)
	for _, op := range r.Ops {
		var said []string
		switch {
		case op.Unchanged:
		case op.Hits > 0 && strings.HasPrefix(op.Op, "replace_"):
			said = append(said, fmt.Sprintf("%d replaced", op.Hits))
		case bool(a.DryRun) && op.Hits > 0:
			said = append(said, fmt.Sprintf("%d done", op.Hits))
		}
		if op.Cells > 0 && !op.Unchanged && (bool(a.DryRun) || len(op.Warnings) > 0) {
			said = append(said, fmt.Sprintf("%d cells", op.Cells))
		}
		if op.Made != "" {
			said = append(said, "made "+op.Made)
		}
		if op.Moved != "" && !op.Unchanged {
			said = append(said, op.Moved)
		}
		said = append(said, op.Notes...)
		if op.Unchanged && len(op.Warnings) == 0 && op.Hits+op.Cells > 0 {
			said = append(said, "it was so already")
		} else if op.Unchanged && len(op.Warnings) == 0 {
			said = append(said, "it changed nothing")
		}
		said = append(said, op.Warnings...)
		if note := formats.IgnoredNote(op.Ignored); note != "" {
			said = append(said, note)
		}
		if len(said) > 0 {
			fmt.Fprintf(&sb, "\noperation %d (%s): %s", op.Index+1, op.Op, strings.Join(said, "; "))
		}
	}
	for _, s := range r.Effects {
		fmt.Fprintf(&sb, "\neffect: %s", s)
	}
	if r.Calculated > 0 {
		sb.WriteString("\ncalc: " + formats.CalcAtelier)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&sb, "\nwarning: %s", w)
	}
	return sb.String()
}
