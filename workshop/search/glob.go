package search

import (
	"context"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"atelier/workshop"
)

// GlobOptions select the paths to list (B10-01, C-17).
type GlobOptions struct {
	// A path has to match one of Patterns (B10-02, C-18): * within a segment,
	// ** across segments, ? one character, [..] classes, {a,b} alternatives.
	// A pattern without "/" is for the last segment at any depth below Dir; a
	// pattern with "/" is for the path relative to Dir, or to the root if it
	// begins with "/".
	Patterns []string
	Dir      workshop.Path // where to start; "" is the root
}

const (
	maxAlternates = 1000 // patterns after expanding braces
	maxStates     = 4096 // of all patterns together, to limit a walk
)

// Glob lists the entries, including folders (C-19), whose path matches, in
// path order and without hashes. It does not read contents. Names that begin
// with a dot match only if the pattern's segment begins with one (B10-06). A
// missing Dir has no entries (B10-05).
func Glob(ctx context.Context, v workshop.View, opt GlobOptions) ([]workshop.Entry, error) {
	g, err := compileGlob(opt)
	if err != nil {
		return nil, err
	}
	start, states := g.start()
	root, err := openFolder(ctx, v, start)
	if workshop.IsFault(err, workshop.NotFound) || workshop.IsFault(err, workshop.Invalid) {
		return nil, nil // missing, or a file
	}
	if err != nil {
		return nil, err
	}
	defer root.release()
	var out []workshop.Entry
	err = g.walk(ctx, root, states, &out)
	slices.SortFunc(out, func(a, b workshop.Entry) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return out, err
}

// segment matches one name.
type segment struct {
	any    bool   // **: any number of names
	exact  string // the name itself, if fixed
	fixed  bool
	suffix string // what follows a single leading *, if star
	star   bool
	glob   string
}

func (s *segment) match(name string) bool {
	switch {
	case s.fixed:
		return s.exact == name
	case name[0] == '.' && !strings.HasPrefix(s.glob, "."):
		return false
	case s.star:
		return strings.HasSuffix(name, s.suffix)
	}
	ok, _ := doublestar.Match(s.glob, name)
	return ok
}

// glob is a list of alternatives, each a list of segments from the root.
type glob [][]segment

// state is a position in one alternative: the names below have to match its
// remaining segments.
type state struct{ alt, seg int }

func compileGlob(opt GlobOptions) (glob, error) {
	refuse := func(format string, args ...any) (glob, error) {
		return nil, workshop.Faultf(workshop.Invalid, format, args...).OnField("pattern")
	}
	if len(opt.Patterns) == 0 {
		return refuse("Pattern cannot be empty")
	}
	var g glob
	states := 0
	for _, p := range opt.Patterns {
		if strings.TrimSpace(p) == "" {
			return refuse("Pattern cannot be empty")
		}
		if len(p) > maxPattern {
			return refuse("the pattern has %d bytes; %d is the most", len(p), maxPattern)
		}
		if strings.ContainsRune(p, 0) {
			return refuse("the pattern %q has a NUL character, which no name has", p)
		}
		if !doublestar.ValidatePattern(p) {
			return refuse("the pattern %q is not valid: a [ or { is not closed, or a class is empty", p)
		}
		alts, ok := expandBraces(p, maxAlternates-len(g))
		if !ok {
			return refuse("the pattern %q has more than %d alternatives", p, maxAlternates)
		}
		for _, alt := range alts {
			if hasDotDot(alt) {
				return refuse("Pattern cannot contain ..")
			}
			segs := segmentsOf(alt, opt.Dir, !strings.Contains(p, "/"))
			if states += len(segs); states > maxStates {
				return refuse("the patterns have more than %d segments together", maxStates)
			}
			g = append(g, segs)
		}
	}
	return g, nil
}

// segmentsOf converts a pattern to segments from the root; deep means at any
// depth.
func segmentsOf(pattern string, dir workshop.Path, deep bool) []segment {
	var segs []segment
	if !strings.HasPrefix(pattern, "/") {
		for name := range strings.SplitSeq(string(dir), "/") {
			if name != "" {
				segs = append(segs, segment{fixed: true, exact: name})
			}
		}
		if deep {
			segs = append(segs, segment{any: true})
		}
	}
	for s := range strings.SplitSeq(pattern, "/") {
		switch {
		case s == "" || s == ".":
		case s == "**":
			if n := len(segs); n == 0 || !segs[n-1].any {
				segs = append(segs, segment{any: true})
			}
		case !strings.ContainsAny(s, `*?[\`):
			segs = append(segs, segment{fixed: true, exact: s})
		case s[0] == '*' && !strings.ContainsAny(s[1:], `*?[\`):
			segs = append(segs, segment{star: true, suffix: s[1:], glob: s})
		default:
			segs = append(segs, segment{glob: s})
		}
	}
	return segs
}

// start returns the deepest folder that all alternatives have in common, with
// their states there.
func (g glob) start() (workshop.Path, []state) {
	var dir []string
	for n := 0; ; n++ {
		for _, segs := range g {
			last := len(segs) - 1
			if n >= last || !segs[n].fixed || segs[n].exact != g[0][n].exact || n+1 == last && segs[last].any { // a/** also matches a
				return workshop.Path(strings.Join(dir, "/")), g.statesAt(n)
			}
		}
		dir = append(dir, g[0][n].exact)
	}
}

func (g glob) statesAt(n int) []state {
	var states []state
	for alt := range g {
		states = g.addState(states, state{alt, n})
	}
	return states
}

// addState adds a state and those that it reaches without a name, because ** may
// match no name.
func (g glob) addState(states []state, s state) []state {
	if !slices.Contains(states, s) {
		states = append(states, s)
	}
	if segs := g[s.alt]; s.seg < len(segs)-1 && segs[s.seg].any {
		return g.addState(states, state{s.alt, s.seg + 1})
	}
	return states
}

// matchName matches a name in every state. It reports whether a pattern ends with
// the name, and returns the states inside it.
func (g glob) matchName(states []state, name string) (ends bool, inside []state) {
	for _, s := range states {
		segs := g[s.alt]
		if s.seg >= len(segs) {
			continue
		}
		seg, last := &segs[s.seg], s.seg == len(segs)-1
		switch {
		case seg.any:
			if name[0] != '.' {
				ends = ends || last
				inside = g.addState(inside, s)
			}
		case seg.match(name):
			if ends = ends || last; !last {
				inside = g.addState(inside, state{s.alt, s.seg + 1})
			}
			if n := len(segs); s.seg == n-2 && segs[n-1].any {
				ends = true // a/** also matches a
			}
		}
	}
	return ends, inside
}

func (g glob) walk(ctx context.Context, f *folder, states []state, out *[]workshop.Entry) error {
	for _, it := range f.Items() {
		if err := ctx.Err(); err != nil {
			return err
		}
		ends, inside := g.matchName(states, it.Name)
		if ends {
			if e, err := f.Info(it); err == nil { // else deleted in the meantime
				*out = append(*out, e)
			}
		}
		if !it.IsDir || len(inside) == 0 {
			continue
		}
		sub, err := f.Folder.Folder(ctx, it)
		if err != nil {
			continue // deleted, or no permission to read it
		}
		h := newFolder(sub)
		err = g.walk(ctx, h, inside, out)
		h.release()
		if err != nil {
			return err
		}
	}
	return nil
}

// expandBraces expands {a,b} alternatives, which may contain "/" and may be
// nested. ok is false if there are more than limit.
func expandBraces(p string, limit int) (out []string, ok bool) {
	open, depth, inClass := -1, 0, false
	var commas []int
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
			if i+1 < len(p) && (p[i+1] == '!' || p[i+1] == '^') {
				i++
			}
			i++ // a ] at the start is literal
		case c == '{':
			if depth++; depth == 1 {
				open = i
			}
		case c == ',' && depth == 1:
			commas = append(commas, i)
		case c == '}':
			if depth--; depth > 0 {
				continue
			}
			from := open + 1
			for _, to := range append(commas, i) {
				more, ok := expandBraces(p[:open]+p[from:to]+p[i+1:], limit-len(out))
				if !ok {
					return nil, false
				}
				out, from = append(out, more...), to+1
			}
			return out, len(out) <= limit
		}
	}
	return []string{p}, limit >= 1
}
