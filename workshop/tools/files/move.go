package files

import (
	"context"
	"slices"
	"strings"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// MoveArgs are the arguments of move and copy.
type MoveArgs struct {
	From, To workshop.Path
	// Into: To is a folder to move into, which must exist. Without it that is
	// decided by whether To is a folder.
	Into bool
	// Parents makes the folders that To needs.
	Parents bool
	// Replace lets a file take the place of a file.
	Replace bool
}

// Moved is the result of move and copy.
type Moved struct {
	From, To workshop.Path
	Folder   bool // a folder was moved or copied
	Files    int  // how many files it has
	Replaced bool // a file was at To
}

// Move moves or renames a file or folder; what is in it keeps its identity.
func Move() *tools.Tool {
	return tools.New("move", "Move or rename a file or folder.", tools.Write,
		func(ctx context.Context, env *tools.Env, a MoveArgs) (any, error) {
			m, err := relocation(ctx, env, a, "moved")
			if err != nil {
				return nil, err
			}
			if m.Replaced {
				return m, workshop.Rearrange(ctx, env.View, workshop.Edit{Kind: workshop.EditMove, Path: a.From, To: m.To, Replace: true})
			}
			return m, env.View.Move(ctx, a.From, m.To)
		}).GuardsItself()
}

// relocation checks a move or copy, as done names it, and returns what it will do.
func relocation(ctx context.Context, env *tools.Env, a MoveArgs, done string) (Moved, error) {
	m := Moved{From: a.From}
	if a.From == "" {
		return m, refuse(workshop.Invalid, IsRoot, "", "the workbench itself cannot be %s", done).OnField("source")
	}
	e, err := stat(ctx, env, a.From)
	if err != nil {
		return m, err
	}
	if e.Virtual {
		return m, isVirtual(a.From).OnField("source")
	}
	if m.To, err = destination(ctx, env, a); err != nil {
		return m, err
	}
	if e.IsDir && strings.HasPrefix(string(m.To)+"/", string(a.From)+"/") && m.To != a.From {
		verb := "move"
		if done == "copied" {
			verb = "copy"
		}
		return m, refuse(workshop.Invalid, Inside, m.To, "Cannot %s a folder into itself or a subfolder.", verb).OnField("destination")
	}
	if err := guardMove(env, e, m.To); err != nil {
		return m, err
	}
	if m.Replaced, err = taken(ctx, env, a, e, m.To); err != nil {
		return m, err
	}
	if m.Folder = e.IsDir; m.Folder {
		m.Files, _, err = filesIn(ctx, env, a.From, 0)
	}
	return m, err
}

// taken reports whether there is a file at to, and refuses what is there unless it
// is to be replaced.
func taken(ctx context.Context, env *tools.Env, a MoveArgs, e workshop.Entry, to workshop.Path) (bool, error) {
	there, found, err := lookUpSpelled(ctx, env, a.From, to)
	switch {
	case err != nil || !found:
		return false, err
	case a.Replace && !e.IsDir && !there.IsDir && to != a.From:
		return true, nil
	case there.IsDir && to != a.From:
		return false, refuse(workshop.Conflict, Exists, to, "%s exists already: a folder is there", to)
	}
	return false, refuse(workshop.Conflict, Exists, to, "%s exists already", to)
}

// lookUpSpelled is LookUp for a new path of from: a name that differs only in case
// is free if it is another spelling of from itself.
func lookUpSpelled(ctx context.Context, env *tools.Env, from, to workshop.Path) (workshop.Entry, bool, error) {
	e, there, err := LookUp(ctx, env, to)
	if err != nil || !there || from == to || !strings.EqualFold(string(from), string(to)) {
		return e, there, err
	}
	list, err := env.View.List(ctx, dir(to), workshop.ListOptions{NoHash: true})
	return e, slices.ContainsFunc(list, func(e workshop.Entry) bool { return e.Path == to }), err
}

// filesIn counts the files below a folder and returns the paths of the first.
func filesIn(ctx context.Context, env *tools.Env, p workshop.Path, most int) (n int, first []workshop.Path, err error) {
	list, err := env.View.List(ctx, p, workshop.ListOptions{Recursive: true, NoHash: true})
	for _, e := range list {
		if e.IsDir {
			continue
		}
		if n++; n <= most {
			first = append(first, e.Path)
		}
	}
	return n, first, err
}

// destination returns the path that a move or copy gives the source.
func destination(ctx context.Context, env *tools.Env, a MoveArgs) (workshop.Path, error) {
	inside := join(a.To, workshop.Entry{Path: a.From}.Name())
	if a.To == "" {
		return inside, nil
	}
	if a.To == a.From && !a.Into {
		return a.To, nil // is there already
	}
	e, there, err := lookUpSpelled(ctx, env, a.From, a.To)
	switch {
	case err != nil:
		return "", err
	case there && e.IsDir:
		return inside, nil
	case a.Into && there:
		return "", refuse(workshop.Invalid, NotInto, a.To, "%s is a file, not a folder", a.To).OnField("destination")
	case a.Into:
		return "", refuse(workshop.NotFound, NoFolder, a.To, "there is no folder %s", a.To)
	}
	parent := dir(a.To)
	p, there, err := LookUp(ctx, env, parent)
	switch {
	case err != nil:
		return "", err
	case !there && a.Parents: // the view refuses a file among them
	case !there:
		return "", refuse(workshop.NotFound, NoParent, parent, "there is no folder %s", parent)
	case !p.IsDir:
		return "", refuse(workshop.Conflict, IsFile, parent, "%s cannot hold files: %s is a file", a.To, parent)
	}
	return a.To, nil
}

func dir(p workshop.Path) workshop.Path {
	if i := strings.LastIndexByte(string(p), '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

func join(dir workshop.Path, name string) workshop.Path {
	if dir == "" {
		return workshop.Path(name)
	}
	return dir + "/" + workshop.Path(name)
}
