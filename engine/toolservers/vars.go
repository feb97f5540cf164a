package toolservers

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// keysOfOurs reports whether a variable of the environment is a key of Atelier's, or a
// setting: an entry that came with a folder cannot send it anywhere.
func keysOfOurs(name string) bool {
	upper := strings.ToUpper(name)
	return strings.HasPrefix(upper, "ATELIER_") || slices.Contains([]string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_ADMIN_KEY", "ANTHROPIC_AUTH_TOKEN"}, upper)
}

// filler fills in variables of an entry.
type filler struct {
	getenv func(string) (string, bool)
	folder string // of the workbench
	source string // of the entry
	// local reports that a value depends on the folder.
	local bool
	err   error // the first
}

// fill returns an entry with its variables filled in.
func (f *filler) fill(e Entry) (Entry, error) {
	e.Command, e.Cwd, e.URL = f.text(e.Command), f.text(e.Cwd), f.text(e.URL)
	e.Args = slices.Clone(e.Args)
	for i, a := range e.Args {
		e.Args[i] = f.text(a)
	}
	e.Env, e.Headers = f.values(e.Env), f.values(e.Headers)
	if e.OAuth != nil {
		o := *e.OAuth
		o.ClientID, o.ClientSecret = f.text(o.ClientID), f.text(o.ClientSecret)
		e.OAuth = &o
	}
	return e, f.err
}

func (f *filler) values(m map[string]string) map[string]string {
	out := maps.Clone(m)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out[k] = f.text(m[k])
	}
	return out
}

// text fills in one value. What is filled in is not looked at again.
func (f *filler) text(s string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, "${")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, rest, closed := strings.Cut(after, "}")
		if !closed {
			out.WriteString("${" + after)
			return out.String()
		}
		value, err := f.variable(name)
		if err != nil && f.err == nil {
			f.err = err
		}
		out.WriteString(value)
		s = rest
	}
}

func (f *filler) variable(expr string) (string, error) {
	name, fallback, has := strings.Cut(expr, ":-")
	name = strings.TrimPrefix(name, "env:")
	switch name {
	case "workspaceFolder":
		f.local = true
		if f.folder == "" {
			return "", fmt.Errorf("${workspaceFolder} needs a folder: this server can be used in a workbench only")
		}
		return f.folder, nil
	case "userHome":
		home, err := os.UserHomeDir()
		return home, err
	}
	if strings.HasPrefix(name, "input:") {
		return "", fmt.Errorf("${%s} asks a person in other programs, which Atelier does not; use a variable of the environment, such as ${MY_TOKEN}", clip(expr, 60))
	}
	if !isName(name) {
		return "", fmt.Errorf("${%s} is not a variable: write ${NAME} or ${NAME:-default}", clip(expr, 60))
	}
	if f.source == FromFolder && keysOfOurs(name) {
		return "", fmt.Errorf("an entry that came with a folder cannot use the variable %s, which holds a key or a setting of Atelier", name)
	}
	if v, ok := f.getenv(name); ok && (v != "" || !has) {
		return v, nil
	}
	if has {
		return fallback, nil
	}
	return "", fmt.Errorf("the variable %s is not set in the environment; set it, or write ${%s:-default}", name, name)
}

func isName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}) < 0
}
