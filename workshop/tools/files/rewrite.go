package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"atelier/formats/text"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/marks"
)

// longFile is a text file of any size that a tool rewrites.
type longFile struct {
	entry  workshop.Entry
	stream text.Stream
	ctx    context.Context
}

// text returns the text in UTF-8, from the beginning.
func (f longFile) text() io.Reader { return f.stream.Reader(f.ctx) }

// rewrite writes a text file anew, in its encoding and behind its byte order mark.
// plan reads the file and returns what writes the new text, in UTF-8. It is called
// again if the file changes in between. An entry that is Unchanged was left alone.
func rewrite(ctx context.Context, env *tools.Env, p workshop.Path, plan func(longFile) (func(io.Writer) error, error)) (workshop.Entry, error) {
	for {
		e, err := rewriteOnce(ctx, env, p, plan)
		if !isChanged(err) || ctx.Err() != nil {
			return e, err
		}
	}
}

func rewriteOnce(ctx context.Context, env *tools.Env, p workshop.Path, plan func(longFile) (func(io.Writer) error, error)) (workshop.Entry, error) {
	e, err := editable(ctx, env, p)
	if err != nil {
		return e, err
	}
	e, src, err := Open(ctx, env, p)
	if err != nil {
		return e, err
	}
	defer src.Close()
	if !e.JSON && binary(head(src)) {
		return e, refuse(workshop.Invalid, NotText, p, "%s is a binary file, which has no text to edit", p).OnField("path")
	}
	stream, err := text.OpenStream(ctx, src)
	if err != nil {
		return e, err
	}
	write, err := plan(longFile{e, stream, ctx})
	if err != nil {
		return e, err
	}
	encoded := func(w io.Writer) error {
		out := stream.Writer(w)
		return errors.Join(write(out), out.Close())
	}
	if e.JSON {
		if encoded, err = stillJSON(e, encoded); err != nil {
			return e, err
		}
	}
	last := func(w io.Writer) error {
		err := encoded(w)
		src.Close() // a live view replaces the file, which some file systems refuse while it is open
		return err
	}
	out, err := env.View.Put(ctx, p, workshop.PutOptions{BaseHash: e.Hash, JSON: e.JSON, Same: workshop.SameBytes{}}, last)
	if workshop.IsFault(err, workshop.Conflict) {
		now, serr := stat(ctx, env, p)
		if serr != nil || now.Hash == e.Hash {
			return out, errors.Join(serr, err)
		}
		return out, changed(p, e.Hash, now.Hash)
	}
	if out.Unchanged {
		env.ChangedNothing()
	}
	return out, err
}

// stillJSON makes the new content of a stored JSON value and refuses what is none.
func stillJSON(e workshop.Entry, write func(io.Writer) error) (func(io.Writer) error, error) {
	if e.Size > MaxText {
		return nil, workshop.Faultf(workshop.Invalid, "%s holds a JSON value of %d bytes; values of up to %d can be edited", e.Path, e.Size, MaxText).OnField("path")
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return nil, err
	}
	if !json.Valid(b.Bytes()) {
		return nil, workshop.Faultf(workshop.Invalid, "%s holds a JSON value, which it would be no more", e.Path)
	}
	return func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err }, nil
}

// refuseNewMarks refuses new text with what Atelier put into an answer, unless the
// file has such a line already. field is the argument with the text.
func refuseNewMarks(f longFile, added, field string) error {
	if marks.Refuse(added, "", field, literally) == nil {
		return nil
	}
	lines := map[string]bool{}
	for l := range EachLine(added) {
		lines[l] = true
	}
	var have []string
	err := eachLine(f.text(), func(_ int, line []byte, _ string) error {
		if lines[string(line)] {
			delete(lines, string(line))
			have = append(have, string(line))
		}
		return nil
	})
	if err != nil && f.ctx.Err() != nil { // of another error the reading that follows tells
		return err
	}
	return marks.Refuse(added, strings.Join(have, "\n"), field, literally)
}
