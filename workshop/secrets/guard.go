package secrets

import (
	"context"
	"fmt"
	"path"
	"strings"

	"atelier/workshop"
)

// Guard withholds files from a model during a call. A nil Guard withholds
// nothing. It is safe for concurrent use.
type Guard struct {
	ignore   *Ignore
	unlocked Unlocked
}

// Unlocked reports whether a rule of the person that is specifically about a
// path allows reading it. Such a rule matches p but not beside, which is p
// under a name that is never withheld, so that a rule about everything
// unlocks nothing.
type Unlocked func(p, beside workshop.Path) bool

// New returns a guard. A nil ignore lists nothing, a nil unlocked unlocks
// nothing.
func New(ignore *Ignore, unlocked Unlocked) *Guard {
	if ignore == nil {
		ignore = &Ignore{}
	}
	return &Guard{ignore, unlocked}
}

// Load returns the guard of a workbench, with the current list in its folder.
func Load(ctx context.Context, wb *workshop.Workbench, unlocked Unlocked) (*Guard, error) {
	text, err := wb.IgnoreText(ctx)
	if err != nil {
		return nil, err
	}
	list, err := parseList(text)
	if err != nil {
		return nil, err
	}
	return New(list, unlocked), nil
}

// Reason says why a path is withheld, or "" if it is not: "it matches .env*,
// which usually holds …". It does not consider unlocking.
func (g *Guard) Reason(p workshop.Path, isDir bool) string {
	why, _ := g.reason(p, isDir)
	return why
}

func (g *Guard) reason(p workshop.Path, isDir bool) (why string, beside workshop.Path) {
	if g == nil || p == "" {
		return "", ""
	}
	if r, n, ok := g.ignore.match(string(p), isDir); ok {
		return fmt.Sprintf("the user's %s lists it (line %d: %s)", workshop.IgnoreFile, r.line, r.text), withNeutralName(p, n, true)
	}
	if r, n, ok := rowOf(string(p)); ok && !isDir {
		return fmt.Sprintf("it matches %s: such files usually hold %s", r.Pattern, r.Holds), withNeutralName(p, n, false)
	}
	return "", ""
}

// withNeutralName returns p with its segment number n (1-based) replaced by a name
// that no file has; ext keeps the extension.
func withNeutralName(p workshop.Path, n int, ext bool) workshop.Path {
	segs := strings.Split(string(p), "/")
	name := "zz-beside-zz"
	if ext {
		name += path.Ext(segs[n-1])
	}
	segs[n-1] = name
	return workshop.Path(strings.Join(segs, "/"))
}

// Withheld says why the model may not read a path, or "" if it may.
func (g *Guard) Withheld(p workshop.Path, isDir bool) string {
	why, beside := g.reason(p, isDir)
	if why != "" && g.unlocked != nil && g.unlocked(p, beside) {
		return ""
	}
	return why
}

// Check returns an error if the model may not read a file.
func (g *Guard) Check(p workshop.Path) error {
	if why := g.Withheld(p, false); why != "" {
		return withheldFault(p, why)
	}
	return nil
}

func withheldFault(p workshop.Path, why string) error {
	f := workshop.Faultf(workshop.Forbidden, "%s is not given to the model: %s", p, why).OnField("path")
	f.Paths = []string{string(p)}
	f.Hint = fmt.Sprintf(`do without it and say so; only the user can allow it, with an approval rule that names it, such as {"path":%q,"effect":"read","action":"allow"} in config.json or WorkshopSetApprovals`, p)
	return f
}
