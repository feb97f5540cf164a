package catalogue

import (
	"slices"
	"strings"

	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/search"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

type grepArgs struct {
	Pattern       string       `json:"pattern" jsonschema:"Regular expression (RE2; \\m \\M \\y \\Y as in PostgreSQL), matched line by line"`
	PathPattern   string       `json:"path_pattern,omitempty" jsonschema:"Only files whose path matches: * or % is any run of characters; without them, paths that contain it"`
	CaseSensitive lenient.Bool `json:"case_sensitive,omitempty" jsonschema:"Default false"`
	Before        *lenient.Int `json:"before_context,omitempty" jsonschema:"Lines to show before each match"`
	After         *lenient.Int `json:"after_context,omitempty" jsonschema:"Lines to show after each match"`
	Context       *lenient.Int `json:"context,omitempty" jsonschema:"Lines to show before and after each match"`
	Limit         *lenient.Int `json:"limit,omitempty" jsonschema:"Most matches to return, default 50; 0 is all"`
}

type grepResult struct {
	Matches []grepMatch   `json:"matches"`
	Skipped []grepSkipped `json:"skipped,omitempty"` // what could not be searched
}

type grepMatch struct {
	Path      string   `json:"path"`
	Line      int      `json:"line_number"`
	Text      string   `json:"line_text"`
	Before    []string `json:"before_context,omitempty"`
	After     []string `json:"after_context,omitempty"`
	Extracted bool     `json:"extracted,omitempty"` // the line is of the text taken out of a document
}

type grepSkipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// maxContext is the most lines shown before or after a match.
const maxContext = 1000

func (a grepArgs) parse(*tools.Env) (files.GrepArgs, error) {
	out := files.GrepArgs{Pattern: a.Pattern, PathPattern: a.PathPattern, CaseSensitive: bool(a.CaseSensitive)}
	var err error
	if out.Limit, err = limitOr("limit", a.Limit, defaultLimit); err != nil {
		return out, err
	}
	for _, c := range []struct {
		field string
		v     *lenient.Int
		to    []*int
	}{{"context", a.Context, []*int{&out.Before, &out.After}}, {"before_context", a.Before, []*int{&out.Before}}, {"after_context", a.After, []*int{&out.After}}} {
		if c.v == nil {
			continue
		}
		n := int(*c.v)
		if n < 0 || n > maxContext {
			return out, workshop.Faultf(workshop.Invalid, "%s must be from 0 to %d", c.field, maxContext).OnField(c.field)
		}
		for _, to := range c.to {
			*to = n
		}
	}
	return out, nil
}

func scaleGrep(t *tools.Tool) tools.Binding {
	return tools.Bind("grep", "Search the latest text of all files for a regular expression, office and PDF files included (their lines are those of the extracted text). Binary files are passed over.", t,
		func(env *tools.Env, a grepArgs) (files.GrepArgs, error) { return a.parse(env) },
		func(_ *tools.Env, _ grepArgs, r search.GrepResult) (any, error) {
			out := grepResult{Matches: []grepMatch{}}
			for _, m := range r.Matches {
				out.Matches = append(out.Matches, grepMatch{absolute(m.Path), m.Line, m.Text, m.Before, m.After, m.Extracted})
			}
			for _, s := range r.Skipped {
				out.Skipped = append(out.Skipped, grepSkipped{absolute(s.Path), s.Reason})
			}
			return out, nil
		}).Worded(worded(nil))
}

type globArgs struct {
	Pattern  string   `json:"pattern,omitempty" jsonschema:"Glob pattern: * within a name, ** across folders, ? one character, [..] classes, {a,b} alternatives. Without / it is matched against names at any depth"`
	Patterns []string `json:"patterns,omitempty" jsonschema:"Several patterns, one of which must match"`
	Path     string   `json:"path,omitempty" jsonschema:"Folder to look in, default /"`
}

type globResult struct {
	Pattern  string      `json:"pattern"`
	BasePath string      `json:"base_path"`
	Matches  []globMatch `json:"matches"`
}

type globMatch struct {
	Path      string `json:"path"`
	Name      string `json:"name"`
	Synced    bool   `json:"synced"`
	FileType  string `json:"file_type"`
	IsVirtual bool   `json:"is_virtual"`
	Size      *int64 `json:"size"`
	UpdatedAt string `json:"updated_at"`
}

// all returns the patterns of both arguments (C-17).
func (a globArgs) all() []string {
	if a.Pattern == "" && len(a.Patterns) > 0 {
		return a.Patterns
	}
	return slices.Concat([]string{a.Pattern}, a.Patterns)
}

func scaleGlob(t *tools.Tool) tools.Binding {
	return tools.Bind("glob", "List files and folders whose paths match a pattern, such as *.md, /src/**/*.go or */notes.txt. Contents are not read. Names that begin with a dot need a pattern that does.", t,
		func(_ *tools.Env, a globArgs) (files.GlobArgs, error) {
			p, err := clamp("path", a.Path)
			return files.GlobArgs{Patterns: a.all(), Dir: p}, err
		},
		func(_ *tools.Env, a globArgs, es []workshop.Entry) (any, error) {
			base, err := clamp("path", a.Path)
			out := globResult{strings.Join(a.all(), ","), absolute(base), []globMatch{}}
			for _, e := range es {
				out.Matches = append(out.Matches, globMatch{absolute(e.Path), e.Name(), e.Synced, files.TypeOf(e), e.Virtual, sizeOf(e), timestamp(e.UpdatedAt())})
			}
			return out, err
		}).Worded(worded(nil))
}

// sizeOf returns a file's size as JSON, null for folders and for virtual files,
// which have none on disk.
func sizeOf(e workshop.Entry) *int64 {
	if e.IsDir || e.Virtual {
		return nil
	}
	return &e.Size
}

type findArgs struct {
	Name      string        `json:"name,omitempty" jsonschema:"Name with wildcards * ? []"`
	Path      string        `json:"path,omitempty" jsonschema:"Folder to look in, default /"`
	FileType  string        `json:"file_type,omitempty" jsonschema:"document, folder, canvas, chat, whiteboard, agent, skill or plan"`
	MinSize   *lenient.Int  `json:"min_size,omitempty" jsonschema:"Only files with more bytes"`
	MaxSize   *lenient.Int  `json:"max_size,omitempty" jsonschema:"Only files with fewer bytes"`
	Recursive *lenient.Bool `json:"recursive,omitempty" jsonschema:"Folders inside, too, default true"`
	Limit     *lenient.Int  `json:"limit,omitempty" jsonschema:"Most matches to return, default 50; 0 is all"`
}

type findResult struct {
	Matches []findMatch `json:"matches"`
}

type findMatch struct {
	Path      string `json:"path"`
	Name      string `json:"name"`
	Synced    bool   `json:"synced"`
	FileType  string `json:"file_type"`
	Size      *int64 `json:"size"`
	UpdatedAt string `json:"updated_at"`
}

func (a findArgs) parse(*tools.Env) (out files.FindArgs, err error) {
	if out.Limit, err = limitOr("limit", a.Limit, defaultLimit); err != nil {
		return out, err
	}
	if out.Type, err = knownType(a.FileType); err != nil {
		return out, err
	}
	size := func(v *lenient.Int) *int64 {
		if v == nil {
			return nil
		}
		n := int64(*v)
		return &n
	}
	out.Name, out.MinSize, out.MaxSize = a.Name, size(a.MinSize), size(a.MaxSize)
	out.Recursive = a.Recursive == nil || bool(*a.Recursive)
	out.Dir, err = clamp("path", a.Path)
	return out, err
}

func scaleFind(t *tools.Tool) tools.Binding {
	return tools.Bind("find", "Find files and folders by name, type and size. For contents use grep, for shapes of paths glob.", t,
		func(env *tools.Env, a findArgs) (files.FindArgs, error) { return a.parse(env) },
		func(_ *tools.Env, _ findArgs, es []workshop.Entry) (any, error) {
			out := findResult{[]findMatch{}}
			for _, e := range es {
				out.Matches = append(out.Matches, findMatch{absolute(e.Path), e.Name(), e.Synced, files.TypeOf(e), sizeOf(e), timestamp(e.UpdatedAt())})
			}
			return out, nil
		}).Worded(func(f *workshop.Fault) *workshop.Fault {
		if f.Code == workshop.NotFound {
			f.Field = "" // a matter of the files, not of the argument's form
		}
		return worded(nil)(f)
	})
}
