package files

import (
	"context"
	"strings"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// MoveArgs are the arguments of move.
type MoveArgs struct {
	From, To workshop.Path
	// Into: To is a folder to move into, which must exist. Without it that is
	// decided by whether To is a folder.
	Into bool
}

// Moved is the result of move.
type Moved struct{ From, To workshop.Path }

// Move moves or renames a file or folder; what is in it keeps its identity.
func Move() *tools.Tool {
	return tools.New("move", "Move or rename a file or folder.", tools.Write,
		func(ctx context.Context, env *tools.Env, a MoveArgs) (any, error) {
			if a.From == "" {
				return nil, refuse(workshop.Invalid, IsRoot, "", "the workbench itself cannot be moved").OnField("source")
			}
			e, err := stat(ctx, env, a.From)
			if err != nil {
				return nil, err
			}
			if e.Virtual {
				return nil, isVirtual(a.From).OnField("source")
			}
			to, err := destination(ctx, env, a)
			if err != nil {
				return nil, err
			}
			if e.IsDir && strings.HasPrefix(string(to)+"/", string(a.From)+"/") && to != a.From {
				return nil, refuse(workshop.Invalid, Inside, to, "Cannot move a folder into itself or a subfolder.").OnField("destination")
			}
			if err := guardMove(env, e, to); err != nil {
				return nil, err
			}
			if _, there, err := LookUp(ctx, env, to); err != nil {
				return nil, err
			} else if there {
				return nil, refuse(workshop.Conflict, Exists, to, "%s exists already", to)
			}
			return Moved{a.From, to}, env.View.Move(ctx, a.From, to)
		}).GuardsItself()
}

// destination returns the path that a move gives the source.
func destination(ctx context.Context, env *tools.Env, a MoveArgs) (workshop.Path, error) {
	inside := join(a.To, workshop.Entry{Path: a.From}.Name())
	if a.To == "" {
		return inside, nil
	}
	if a.To == a.From && !a.Into {
		return a.To, nil // is there already
	}
	e, there, err := LookUp(ctx, env, a.To)
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
