package files

import (
	"context"
	"io"
	"path"
	"strings"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/marks"
)

// WriteArgs are the arguments of write.
type WriteArgs struct {
	Path    workshop.Path
	Content string
	JSON    bool   // Content is a JSON value, not text (B-09)
	Type    string // file type; "" keeps what the file has
	Folder  bool   // make a folder instead
	// CreateOnly refuses with Exists when the file exists.
	CreateOnly bool
	// AnyName also allows the names of binary formats, and to replace binary
	// content; documents that have tools of their own are refused all the same.
	AnyName bool
	// Literal writes lines that only Atelier writes, too.
	Literal bool
	// KeepSame leaves a file that holds Content already as it is.
	KeepSame bool
}

// Write creates or replaces a text file. Its result is the workshop.Entry.
func Write() *tools.Tool {
	return tools.New("write", "Write or replace a text file.", tools.Write,
		func(ctx context.Context, env *tools.Env, a WriteArgs) (any, error) {
			e, there, err := LookUp(ctx, env, a.Path)
			switch {
			case err != nil:
				return nil, err
			case e.IsDir:
				return nil, refuse(workshop.Conflict, IsFolder, a.Path, "%s is a folder", a.Path)
			case e.Virtual:
				return nil, isVirtual(a.Path)
			}
			if err := GuardContent(env, a.Path, e, there); err != nil {
				return nil, err
			}
			if a.Folder {
				if there && a.CreateOnly {
					return nil, exists(a.Path)
				}
				return env.View.Mkdir(ctx, a.Path)
			}
			if !a.AnyName && (!formats.NameTakesText(string(a.Path)) || there && e.Kind == formats.KindBinary) || !textByName(string(a.Path)) {
				return nil, NotTextFault(a.Path, formats.KindOfName(string(a.Path)))
			}
			if there && a.CreateOnly {
				return nil, exists(a.Path)
			}
			if err := refuseMarks(ctx, env, a, there); err != nil {
				return nil, err
			}
			return putText(ctx, env, a)
		}).GuardsItself()
}

// putText writes the content of a file.
func putText(ctx context.Context, env *tools.Env, a WriteArgs) (any, error) {
	opt := workshop.PutOptions{CreateOnly: a.CreateOnly, Type: a.Type, JSON: a.JSON}
	if a.KeepSame {
		opt.Same = workshop.SameBytes{}
	}
	e, err := env.View.Put(ctx, a.Path, opt, func(w io.Writer) error {
		_, err := io.WriteString(w, a.Content)
		return err
	})
	if a.CreateOnly && workshop.IsFault(err, workshop.Conflict) {
		if e, there, _ := LookUp(ctx, env, a.Path); there && !e.IsDir { // created since it was looked up
			return nil, exists(a.Path)
		}
	}
	if e.Unchanged {
		env.ChangedNothing()
	}
	return e, err
}

// literally is how an error says that a text can be written all the same.
const literally = "; literal: true writes it as it is"

// refuseMarks refuses content with what Atelier put into an answer, unless the
// file has it already.
func refuseMarks(ctx context.Context, env *tools.Env, a WriteArgs, there bool) error {
	if a.Literal {
		return nil
	}
	err := marks.Refuse(a.Content, "", "content", literally)
	if err == nil || !there {
		return err
	}
	_, src, oerr := Open(ctx, env, a.Path)
	if oerr != nil {
		return err
	}
	defer src.Close()
	have, oerr := formats.ReadAll(src, MaxText)
	if oerr != nil {
		return err
	}
	return marks.Refuse(a.Content, string(have), "content", literally)
}

func exists(p workshop.Path) *workshop.Fault {
	return refuse(workshop.Conflict, Exists, p, "%s exists already", p)
}

// textByName reports whether a name may be that of a text file: one that a text
// format has, or one that nobody claims. A drawing in SVG is text.
func textByName(name string) bool {
	kind := formats.KindOfName(name)
	return kind == formats.KindText || kind == formats.KindBinary || strings.EqualFold(path.Ext(name), ".svg")
}

// NotTextFault refuses to write a kind as text and names what to use instead
// (W-21).
func NotTextFault(p workshop.Path, kind formats.Kind) *workshop.Fault {
	say := func(format string, args ...any) *workshop.Fault {
		return refuse(workshop.Invalid, NotText, p, format, args...).OnField("path")
	}
	switch kind {
	case formats.KindXlsx, formats.KindDocx, formats.KindPptx:
		return say("%s is %s file and cannot be written as text; use %s_operations", p, kind.WithArticle(), kind)
	case formats.KindPDF, formats.KindImage, formats.KindODT:
		return say("%s is %s file; %s files are read-only", p, kind.WithArticle(), kind)
	}
	if !formats.NameTakesText(string(p)) {
		return say("%s has the name of a format that cannot be written as text; give it another extension, such as .txt, .md, .csv or .json", p)
	}
	return say("%s is not a text file: its content is binary, and writing text would replace it; write to another name", p)
}
