package files

import (
	"context"
	"slices"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/provenance"
	"atelier/workshop/search"
	"atelier/workshop/tools"
)

// GrepArgs are the arguments of grep, as search.GrepOptions has them.
type GrepArgs struct {
	Pattern, PathPattern string
	CaseSensitive        bool
	Before, After, Limit int
}

// Grep searches the text of all files, that of documents included. Its result
// is search.GrepResult.
func Grep() *tools.Tool {
	return tools.New("grep", "Search the text of all files for a regular expression.", tools.Read,
		func(ctx context.Context, env *tools.Env, a GrepArgs) (any, error) {
			res, err := search.Grep(provenance.Aside(ctx), env.View, search.GrepOptions{Pattern: a.Pattern, PathPattern: a.PathPattern, CaseSensitive: a.CaseSensitive,
				Before: a.Before, After: a.After, Limit: a.Limit,
				Extract: func(ctx context.Context, src formats.Source) (string, error) {
					x, err := env.Document(ctx, src)
					return x.Text, err
				}})
			for _, m := range res.Matches {
				provenance.Found(ctx, m.Path)
			}
			return res, err
		})
}

// GlobArgs are the arguments of glob, as search.GlobOptions has them.
type GlobArgs struct {
	Patterns []string
	Dir      workshop.Path
}

// Glob lists files and folders by the shape of their paths. Its result is
// []workshop.Entry.
func Glob() *tools.Tool {
	return tools.New("glob", "List files and folders whose paths match patterns.", tools.Read,
		func(ctx context.Context, env *tools.Env, a GlobArgs) (any, error) {
			es, err := search.Glob(ctx, env.View, search.GlobOptions{Patterns: a.Patterns, Dir: a.Dir})
			return slices.DeleteFunc(es, func(e workshop.Entry) bool { return !opens(e) }), err
		})
}

// FindArgs are the arguments of find, as search.FindOptions has them.
type FindArgs struct {
	Name             string
	Dir              workshop.Path
	Recursive        bool
	Type             string // "folder", a file type, or "" for everything
	MinSize, MaxSize *int64
	Limit            int
}

// Find lists files and folders by name, type and size; virtual files have no
// place on disk and are left out. Its result is []workshop.Entry.
func Find() *tools.Tool {
	return tools.New("find", "List files and folders by name, type and size.", tools.Read,
		func(ctx context.Context, env *tools.Env, a FindArgs) (any, error) {
			return search.Find(ctx, env.View, search.FindOptions{Name: a.Name, Dir: a.Dir, Recursive: a.Recursive, Limit: a.Limit,
				MinSize: a.MinSize, MaxSize: a.MaxSize,
				Folders: a.Type == "folder", Files: a.Type != "" && a.Type != "folder",
				Keep: func(e workshop.Entry) bool {
					return opens(e) && !e.Virtual && (a.Type == "" || e.IsDir || a.Type == TypeOf(e))
				}})
		})
}

// TypeOf returns the type of an entry as clients know it.
func TypeOf(e workshop.Entry) string {
	switch {
	case e.IsDir:
		return "folder"
	case e.Type == "":
		return "document"
	}
	return e.Type
}

// opens reports whether an entry is no link and no special file.
func opens(e workshop.Entry) bool { return !e.IsSpecial() }
