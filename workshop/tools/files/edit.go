package files

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"atelier/formats"
	"atelier/formats/text"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/marks"
)

// EditArgs are the arguments of edit.
type EditArgs struct {
	Path workshop.Path
	Edit TextEdit
	// LastReadHash, when not empty, must be the hash of the present content.
	LastReadHash string
	// Literal writes lines that only Atelier writes, too.
	Literal bool
}

// Edit changes one place of a text file and keeps its encoding, line ends and
// final newline. Its result is the workshop.Entry.
func Edit() *tools.Tool {
	return tools.New("edit", "Change one place of a text file.", tools.Write,
		func(ctx context.Context, env *tools.Env, a EditArgs) (any, error) {
			return EditAfter(ctx, env, a, func(string) int { return 0 })
		}).GuardsItself()
}

// EditAfter returns the edit tool for a part of a text: what stands before the
// offset that head gives is not looked at and stays as it is.
func EditAfter(ctx context.Context, env *tools.Env, a EditArgs, head func(text string) int) (workshop.Entry, error) {
	if err := a.Edit.check(); err != nil {
		return workshop.Entry{}, err
	}
	for {
		e, err := editOnce(ctx, env, a, head)
		// Somebody else changed the file in between: the edit may well still
		// fit, unless the caller insists on what it read.
		if a.LastReadHash != "" || !isChanged(err) || ctx.Err() != nil {
			return e, err
		}
	}
}

func editOnce(ctx context.Context, env *tools.Env, a EditArgs, head func(string) int) (workshop.Entry, error) {
	e, err := editable(ctx, env, a.Path)
	if err != nil {
		return e, err
	}
	e, src, err := Open(ctx, env, a.Path)
	if err != nil {
		return e, err
	}
	if a.LastReadHash != "" && a.LastReadHash != e.Hash {
		src.Close()
		return e, changed(a.Path, a.LastReadHash, e.Hash)
	}
	b, err := edited(ctx, e, src, a, head)
	src.Close() // a live view replaces the file, which some file systems refuse while it is open
	if err != nil {
		return e, err
	}
	opt := workshop.PutOptions{BaseHash: e.Hash, JSON: e.JSON}
	out, err := env.View.Put(ctx, a.Path, opt, func(w io.Writer) error { _, err := w.Write(b); return err })
	if workshop.IsFault(err, workshop.Conflict) {
		now, serr := stat(ctx, env, a.Path)
		if serr != nil || now.Hash == e.Hash {
			return out, errors.Join(serr, err)
		}
		return out, changed(a.Path, e.Hash, now.Hash)
	}
	return out, err
}

// editable looks at a file that is to be edited.
func editable(ctx context.Context, env *tools.Env, p workshop.Path) (workshop.Entry, error) {
	e, err := statFile(ctx, env, p)
	switch {
	case err != nil:
		return e, err
	case e.Virtual:
		return e, isVirtual(p)
	}
	if err := GuardContent(env, p, e, true); err != nil {
		return e, err
	}
	if !e.JSON && !textByName(string(p)) {
		return e, NotTextFault(p, e.Kind)
	}
	return e, nil
}

// edited returns the new content of an open file.
func edited(ctx context.Context, e workshop.Entry, src workshop.Source, a EditArgs, part func(string) int) ([]byte, error) {
	if src.Size() > MaxText {
		return nil, workshop.Faultf(workshop.Invalid, "%s has %d bytes; files of up to %d can be edited", e.Path, src.Size(), MaxText).OnField("path")
	}
	if e.JSON {
		b, err := formats.ReadAll(src, MaxText)
		if err != nil {
			return nil, err
		}
		if json.Valid(b) {
			return editJSON(b, a.Edit)
		}
	}
	if binary(head(src)) {
		return nil, refuse(workshop.Invalid, NotText, a.Path, "%s is a binary file, which has no text to edit", a.Path).OnField("path")
	}
	doc, err := text.OpenEditable(ctx, src)
	if err != nil {
		return nil, err
	}
	s := doc.Text()
	if !a.Literal {
		field := "new_string"
		if a.Edit.Insert {
			field = "insert_content"
		}
		if err := marks.Refuse(a.Edit.New, s, field, literally); err != nil {
			return nil, err
		}
	}
	keep := part(s)
	body, err := a.Edit.apply(s[keep:])
	if err != nil {
		return nil, err
	}
	return doc.Bytes(s[:keep] + body)
}

func changed(p workshop.Path, expected, latest string) *workshop.Fault {
	return refuse(workshop.Conflict, Changed, p, "File content has changed since it was last read. Expected hash: %s, but latest is: %s. Please read the file again before editing.", expected, latest)
}

func isChanged(err error) bool {
	if err == nil {
		return false
	}
	r, ok := RefusalOf(workshop.AsFault(err))
	return ok && r.Why == Changed
}
