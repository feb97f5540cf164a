package approvals

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"atelier/workshop"
)

// The actions of a rule.
const (
	Allow = "allow"
	Ask   = "ask"  // the person decides
	Deny  = "deny" // refused without asking
)

// The effects of a rule: what is done to a file. A move deletes and writes.
const (
	Read   = "read"
	Write  = "write"
	Delete = "delete"
)

// Rule says what to do about calls of a tool on some files. The first rule of a
// policy that fits counts; without one the call is allowed, since everything is
// a draft.
type Rule struct {
	Tool   string `json:"tool,omitempty"`   // pattern of names, as in the catalogue or as atelier calls the tool; default any
	Path   string `json:"path,omitempty"`   // pattern such as contracts/**; default any
	Effect string `json:"effect,omitempty"` // read, write or delete; default any
	Action string `json:"action"`           // allow, ask or deny
}

// UnmarshalJSON refuses members it does not know: a rule with a misspelt path
// would be one about every path.
func (r *Rule) UnmarshalJSON(raw []byte) error {
	type plain Rule
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(r)); err != nil {
		return fmt.Errorf("approval rule with tool, path, effect and action: %w", err)
	}
	return nil
}

// Use is one thing that a call does to a file.
type Use struct {
	Effect string        `json:"effect"`
	Path   workshop.Path `json:"path"`
}

// Policy is rules in their order.
type Policy []Rule

const (
	mostRules   = 500
	longPattern = 1000 // bytes
	anyPath     = "**"
)

// Check looks whether the rules make sense; an Invalid fault names the one that
// does not.
func (p Policy) Check() error {
	if len(p) > mostRules {
		return workshop.Faultf(workshop.Invalid, "there are %d rules; %d is the most", len(p), mostRules).OnField("rules")
	}
	for i, r := range p {
		refuse := func(format string, args ...any) error {
			return workshop.Faultf(workshop.Invalid, "approval rule %d: "+format, append([]any{i + 1}, args...)...).OnField("rules")
		}
		switch {
		case r.Action != Allow && r.Action != Ask && r.Action != Deny:
			return refuse("action is allow, ask or deny, not %q", r.Action)
		case !slices.Contains([]string{"", Read, Write, Delete}, r.Effect):
			return refuse("effect is read, write or delete, not %q", r.Effect)
		case len(r.Tool) > longPattern || len(r.Path) > longPattern:
			return refuse("a pattern has more than %d bytes", longPattern)
		case !doublestar.ValidatePattern(r.Tool):
			return refuse("tool %q is no pattern such as write_*", r.Tool)
		case !doublestar.ValidatePattern(pattern(r.Path)):
			return refuse("path %q is no pattern such as contracts/**", r.Path)
		}
	}
	return nil
}

// find returns the first rule that fits a use; ok is false when none does.
func (p Policy) find(tool []string, u Use) (Rule, bool) {
	for _, r := range p {
		if r.forTool(tool) && r.forUse(u) {
			return r, true
		}
	}
	return Rule{}, false
}

// unlocks is Store.Unlocks.
func (p Policy) unlocks(tool []string, at, beside workshop.Path) bool {
	for _, r := range p {
		switch {
		case len(tool) > 0 && !r.forTool(tool), !r.forUse(Use{Read, at}):
		case r.Action == Deny:
			return false
		case !r.forUse(Use{Read, beside}):
			return true
		}
	}
	return false
}

// certain returns the rule that counts for a tool whatever file it meets; ok is
// false when that depends.
func (p Policy) certain(tool []string) (Rule, bool) {
	for _, r := range p {
		if r.forTool(tool) {
			return r, pattern(r.Path) == anyPath && r.Effect == ""
		}
	}
	return Rule{}, false
}

// beyond returns the rule that counts for what a tool does to no file; ok is false
// when there is none.
func (p Policy) beyond(tool []string) (Rule, bool) {
	for _, r := range p {
		if r.forTool(tool) && pattern(r.Path) == anyPath && r.Effect == "" {
			return r, true
		}
	}
	return Rule{}, false
}

// concerns reports whether some rule could ask about the tool or refuse it.
func (p Policy) concerns(tool []string) bool {
	return slices.ContainsFunc(p, func(r Rule) bool { return r.Action != Allow && r.forTool(tool) })
}

func (r Rule) forTool(names []string) bool {
	return r.Tool == "" || slices.ContainsFunc(names, func(n string) bool {
		ok, _ := doublestar.Match(r.Tool, n)
		return ok
	})
}

func (r Rule) forUse(u Use) bool {
	if r.Effect != "" && r.Effect != u.Effect {
		return false
	}
	return fits(r.Path, u.Path, r.Action != Allow)
}

// fits reports whether a path matches a pattern. loose matches without regard to
// case and to how accents are written: what restricts must also hold on file
// systems for which these are the same file, and a folder by its name means what
// is in it. What allows is as exact as the system.
func fits(pat string, p workshop.Path, loose bool) bool {
	pat, name := norm.NFC.String(pattern(pat)), norm.NFC.String(string(p))
	if loose || runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		fold := cases.Fold()
		pat, name = fold.String(pat), fold.String(name)
	}
	ok, _ := doublestar.Match(pat, name)
	if !ok && loose && !strings.ContainsAny(pat, `*?[{\`) {
		return strings.HasPrefix(name, pat+"/")
	}
	return ok
}

// pattern returns a path pattern relative to the root: "./contracts/" and
// "/contracts/**" are "contracts/**".
func pattern(s string) string {
	s = cmp.Or(s, anyPath)
	folder := strings.HasSuffix(s, "/")
	s = strings.TrimPrefix(path.Clean("/"+s), "/")
	switch {
	case s == "":
		return anyPath
	case folder:
		return s + "/**"
	}
	return s
}
