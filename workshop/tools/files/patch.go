package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/linepatch"
	"atelier/workshop/tools"
	"atelier/workshop/tools/marks"
)

// PatchArgs are the arguments of patch.
type PatchArgs struct{ Files []FilePatch }

// FilePatch is the changes of one file.
type FilePatch struct {
	Path    workshop.Path
	Base    string // SHA-256 that the content must have
	Changes []linepatch.Change
}

// WrongBase is the cause of a fault about a file that is not what the caller
// read.
type WrongBase struct{ Path workshop.Path }

// Error makes it an error; the fault around it has the words.
func (w WrongBase) Error() string { return string(w.Path) + " has another hash" }

// Patch changes lines of text files, of all the files or of none (P-11). Its
// result is []workshop.Entry. A fault's cause is a WrongBase, a
// *linepatch.Error or neither; its Paths name the file.
func Patch() *tools.Tool {
	return tools.New("patch", "Change text files by whole lines, all at once or none.", tools.Write,
		func(ctx context.Context, env *tools.Env, a PatchArgs) (any, error) {
			puts := make([]workshop.Put, len(a.Files))
			for i, f := range a.Files {
				e, b, err := patched(ctx, env, f)
				if err != nil {
					return nil, err
				}
				puts[i] = workshop.Put{Path: f.Path, Options: workshop.PutOptions{BaseHash: f.Base, JSON: e.JSON},
					Write: func(w io.Writer) error { _, err := w.Write(b); return err }}
			}
			entries, err := workshop.PutAll(ctx, env.View, puts)
			if workshop.IsFault(err, workshop.Conflict) { // changed since it was read a moment ago (F-24)
				for _, f := range a.Files {
					if e, serr := env.View.Stat(ctx, f.Path); serr != nil || e.Hash != f.Base {
						return nil, wrongBase(f.Path)
					}
				}
			}
			return entries, err
		}).GuardsItself()
}

// patched returns the new content of a file.
func patched(ctx context.Context, env *tools.Env, f FilePatch) (workshop.Entry, []byte, error) {
	e, src, err := Open(ctx, env, f.Path)
	if err != nil {
		return e, nil, err
	}
	defer src.Close()
	if err := GuardContent(env, f.Path, e, true); err != nil {
		return e, nil, err
	}
	if e.Hash != f.Base {
		return e, nil, wrongBase(f.Path)
	}
	kind := formats.KindOfName(string(f.Path))
	if kind != formats.KindText && !textByName(string(f.Path)) {
		return e, nil, NotTextFault(f.Path, kind)
	}
	refused := func(format string, args ...any) (workshop.Entry, []byte, error) {
		return e, nil, onPath(workshop.Faultf(workshop.Invalid, format, args...), f.Path)
	}
	if src.Size() > MaxText {
		return refused("%s has %d bytes; at most %d can be patched", f.Path, src.Size(), MaxText)
	}
	b, err := io.ReadAll(io.NewSectionReader(reader{ctx, src}, 0, src.Size()))
	if err != nil {
		return e, nil, err
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return refused("%s is not a text file", f.Path)
	}
	for _, c := range f.Changes {
		if err := marks.Refuse(strings.Join(c.New, "\n"), string(b), "newLines", ""); err != nil {
			return e, nil, onPath(workshop.AsFault(err), f.Path)
		}
	}
	out, err := linepatch.Apply(b, f.Changes)
	if err != nil {
		return e, nil, PatchFault(err, f.Path)
	}
	if e.JSON && !json.Valid(out) {
		return refused("%s holds a JSON value, which it would be no more", f.Path)
	}
	return e, out, nil
}

// PatchFault returns a *linepatch.Error as a fault; other errors stay as they are.
func PatchFault(err error, p workshop.Path) error {
	var le *linepatch.Error
	if !errors.As(err, &le) {
		return err
	}
	code := workshop.Invalid
	if le.Conflict {
		code = workshop.Conflict
	}
	return onPath(&workshop.Fault{Code: code, Message: le.Message, Err: le}, p)
}

func wrongBase(p workshop.Path) error {
	return onPath(&workshop.Fault{Code: workshop.Conflict, Message: string(p) + " has changed since it was read; read it again", Err: WrongBase{p}}, p)
}

func onPath(f *workshop.Fault, p workshop.Path) *workshop.Fault {
	f.Paths = []string{string(p)}
	return f
}
