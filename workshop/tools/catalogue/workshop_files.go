package catalogue

import (
	"context"
	"fmt"
	"strings"

	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

type relocateArgs struct {
	From      string       `json:"from" jsonschema:"File or folder"`
	To        string       `json:"to" jsonschema:"New path, or a folder to put it into; folders are made as needed"`
	Overwrite lenient.Bool `json:"overwrite,omitempty" jsonschema:"Replace a file that is there"`
}

func workshopMove(t *tools.Tool) tools.Binding {
	return bindRelocation("move", "Move or rename a file or folder.", "Moved", t)
}

func workshopCopy(t *tools.Tool) tools.Binding {
	return bindRelocation("copy", "Copy a file or folder.", "Copied", t)
}

// bindRelocation presents a tool that takes files.MoveArgs; done begins its answer.
func bindRelocation(name, description, done string, t *tools.Tool) tools.Binding {
	return tools.BindFunc(name, description, t,
		func(ctx context.Context, env *tools.Env, a relocateArgs, call func(files.MoveArgs) (files.Moved, error)) (any, error) {
			in := files.MoveArgs{Parents: true, Replace: bool(a.Overwrite), Into: strings.HasSuffix(a.To, "/")}
			var err error
			if in.From, err = pathArgument("from", a.From); err != nil {
				return nil, err
			}
			if in.To, err = pathArgument("to", a.To); err != nil {
				return nil, err
			}
			if in.Into && in.To != "" { // a folder that need not be there
				if _, there, err := files.LookUp(ctx, env, in.To); err != nil {
					return nil, err
				} else if !there {
					in.To, in.Into = in.To+"/"+workshop.Path(workshop.Entry{Path: in.From}.Name()), false
				}
			}
			m, err := call(in)
			if err != nil {
				return nil, relocationFault(ctx, env, in, err)
			}
			what := string(m.From)
			if m.Folder {
				what = fmt.Sprintf("the folder %s with %s", m.From, countFiles(m.Files))
			}
			said := fmt.Sprintf("%s %s to %s", done, what, m.To)
			if m.Replaced {
				said += ", in place of the file that was there"
			}
			return said, nil
		})
}

// relocationFault names the arguments as the workshop has them, and says what is in
// the way.
func relocationFault(ctx context.Context, env *tools.Env, a files.MoveArgs, err error) error {
	f := *tools.FaultOf(ctx, err)
	f.Field = map[string]string{"source": "from", "destination": "to"}[f.Field]
	r, ok := files.RefusalOf(&f)
	if !ok || r.Why != files.Exists {
		return &f
	}
	e, serr := env.View.Stat(ctx, r.Path)
	switch {
	case serr != nil:
	case r.Path == a.From:
		f.Message = fmt.Sprintf("%s is there already", r.Path)
	case e.IsDir:
		f.Message = fmt.Sprintf("%s exists already: it is a folder, which is not replaced", r.Path)
		f.Hint = "move or copy what is in it file by file, or delete it first"
	default:
		f.Message = fmt.Sprintf("%s exists already: a %s file of %d bytes", r.Path, e.Kind, e.Size)
		if from, err := env.View.Stat(ctx, a.From); err == nil && from.IsDir {
			f.Hint = "a folder does not replace a file; give another path"
		} else {
			f.Hint = "overwrite: true replaces it"
		}
	}
	return &f
}

// pathArgument parses a path, which may be the root, and names the argument in a
// fault.
func pathArgument(field, s string) (workshop.Path, error) {
	if s == "" {
		return "", workshop.Faultf(workshop.Invalid, "%s is required", field).OnField(field)
	}
	p, err := workshop.ParseStrict(s)
	if err != nil {
		return p, workshop.AsFault(err).OnField(field)
	}
	return p, nil
}

func countFiles(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

type onePathArgs struct {
	Path string `json:"path" jsonschema:"File or folder"`
}

func workshopDelete(t *tools.Tool) tools.Binding {
	return tools.Bind("delete", "Delete a file, or a folder with all that is in it.", t,
		func(_ *tools.Env, a onePathArgs) (files.RemoveArgs, error) {
			p, err := pathArgument("path", a.Path)
			return files.RemoveArgs{Path: p, Whole: true}, err
		},
		func(_ *tools.Env, _ onePathArgs, r files.Removed) (any, error) {
			const after = ". This is in the draft: it can be undone, and the user's files change only when they publish it"
			switch {
			case !r.Entry.IsDir:
				return fmt.Sprintf("Deleted %s%s", r.Entry.Path, after), nil
			case r.Files == 0:
				return fmt.Sprintf("Deleted the folder %s, which had no files%s", r.Entry.Path, after), nil
			}
			names := make([]string, len(r.First))
			for i, p := range r.First {
				names[i] = string(p)
			}
			if more := r.Files - len(names); more > 0 {
				names = append(names, fmt.Sprintf("and %d more", more))
			}
			return fmt.Sprintf("Deleted the folder %s with %s: %s%s", r.Entry.Path, countFiles(r.Files), strings.Join(names, ", "), after), nil
		})
}

type makeFolderArgs struct {
	Path string `json:"path" jsonschema:"Folder; its parents are made too"`
}

func workshopMakeFolder(t *tools.Tool) tools.Binding {
	return tools.BindFunc("make_folder", "Make a folder; tools that write a file make its folder themselves, so this is for one that is to be empty or filled later.", t,
		func(ctx context.Context, env *tools.Env, a makeFolderArgs, call func(files.PathArgs) (workshop.Entry, error)) (any, error) {
			p, err := pathArgument("path", a.Path)
			if err != nil {
				return nil, err
			}
			e, there, err := files.LookUp(ctx, env, p)
			switch {
			case err != nil:
				return nil, err
			case there && !e.IsDir:
				return nil, workshop.Faultf(workshop.Conflict, "%s exists already: a %s file of %d bytes", p, e.Kind, e.Size).OnField("path")
			case there:
				env.ChangedNothing()
				return fmt.Sprintf("Nothing was changed: the folder %s exists already", p), nil
			}
			if _, err := call(files.PathArgs{Path: p}); err != nil {
				return nil, err
			}
			return fmt.Sprintf("Made the folder %s", p), nil
		})
}
