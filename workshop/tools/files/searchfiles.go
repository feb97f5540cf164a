package files

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"atelier/formats"
	"atelier/internal/timelimit"
	"atelier/workshop"
	"atelier/workshop/doctext"
	"atelier/workshop/provenance"
	"atelier/workshop/search"
	"atelier/workshop/tools"
)

// SearchBytes is how much one search reads, where a byte of a document counts
// search.DocumentWeight times. A count ends the search at the same file on a busy machine
// as on a quiet one.
const SearchBytes = 16 << 30

// SearchArgs are the arguments of search_files.
type SearchArgs struct {
	Query     string
	Regexp    bool // Query is a regular expression, matched inside one line or cell
	WholeWord bool
	MatchCase bool
	// Path is a folder, a file, or a pattern with * for files; "" is everything.
	Path        string
	Offset, Max int // of the hits
	// Ranked gives the passages that go best with the words of Query, instead of
	// hits.
	Ranked bool
	// Scans also has the text of images and of pages without text recognised.
	Scans bool
}

// Found is the result of search_files.
type Found struct {
	Hits    []Hit // from Offset on, at most Max, in order of path and place
	Offset  int
	Total   int         // hits
	AtLeast bool        // the search ended early: there may be more
	Counts  []FileCount // of all hits, in order of path
	Names   []workshop.Item
	Files   int // searched
	// Skipped lists files that were not searched, or only in part.
	Skipped []search.Skipped
	// Late: the time of the call was nearly over. Spent: as many bytes were searched as
	// one search does. No file behind Last was searched.
	Late, Spent bool
	Last        workshop.Path
	// Pattern finds the match in the text of a hit.
	Pattern *regexp.Regexp
	// Note says what passages of a ranked search lack, and which text was recognised,
	// "" if nothing.
	Note string
}

// scanNote is what is said of recognised text in the result of a search.
func scanNote(a SearchArgs, s *scans) string {
	if !a.Scans {
		return ""
	}
	return s.note()
}

// Hit is a place in a file.
type Hit struct {
	Path workshop.Path
	// At is the address as other tools take it, "" if the file changed in the
	// meantime.
	At   string
	Text string // of the cell, paragraph or line; at most search.MaxLine bytes around the match
}

// FileCount is how many hits a file has.
type FileCount struct {
	Path workshop.Path
	Hits int
}

// SearchFiles searches the names and contents of files, and gives addresses. Its
// result is Found.
func SearchFiles() *tools.Tool {
	return tools.New("search_files", "Find text in files, with the addresses of what is found.", tools.Read,
		func(ctx context.Context, env *tools.Env, a SearchArgs) (any, error) {
			if strings.TrimSpace(a.Query) == "" {
				return nil, workshop.Faultf(workshop.Invalid, "query is required").OnField("query")
			}
			if a.Ranked && a.Scans {
				return nil, workshop.Faultf(workshop.Invalid, "scans does not go with ranked: the search index has no scans").OnField("scans")
			}
			if a.Ranked {
				return passages(ctx, env, a)
			}
			re, opt, err := a.options(ctx, env)
			if err != nil {
				return nil, err
			}
			var scanned *scans
			if a.Scans {
				scanned = newScans(env)
				opt.Extract, opt.Images = unitsOf(env, scanned), scanned != nil
			}
			res, err := search.Grep(provenance.Aside(ctx), env.View, opt)
			if err != nil {
				return nil, err
			}
			out := Found{Offset: a.Offset, Total: len(res.Matches), AtLeast: res.Limited || res.Late || res.Spent, Counts: countHits(res.Matches),
				Names: res.Names, Files: res.Files, Skipped: res.Skipped, Late: res.Late, Spent: res.Spent, Last: res.Last, Pattern: re, Note: scanNote(a, scanned)}
			from := min(a.Offset, len(res.Matches))
			page := res.Matches[from:min(from+a.Max, len(res.Matches))]
			out.Hits = addressed(ctx, env, scanned, page)
			return out, nil
		})
}

// options returns what to search for and where.
func (a SearchArgs) options(ctx context.Context, env *tools.Env) (*regexp.Regexp, search.GrepOptions, error) {
	opt := search.GrepOptions{Pattern: a.Query, CaseSensitive: a.MatchCase, MostBytes: SearchBytes, Names: true, Unread: true, Extract: unitsOf(env, nil)}
	if left, ok := timelimit.Left(ctx); ok { // the rest is for the addresses
		opt.Budget = max(left*5/6, time.Millisecond)
	}
	if !a.Regexp {
		opt.Pattern = phrase(a.Query)
	}
	if _, err := search.Compile(opt.Pattern, true); err != nil { // before more is put around it
		return nil, opt, workshop.AsFault(err).OnField("query")
	}
	if a.WholeWord {
		opt.Pattern = `(?:^|[^\pL\pN\pM_])(?:` + opt.Pattern + `)(?:[^\pL\pN\pM_]|$)`
	}
	re, err := search.Compile(opt.Pattern, a.MatchCase)
	if err != nil {
		return nil, opt, workshop.AsFault(err).OnField("query")
	}
	s, err := ScopeOf(ctx, env, a.Path)
	opt.Dir, opt.PathPattern = s.Dir, s.Pattern
	if s.File != "" {
		opt.Keep = func(it workshop.Item) bool { return it.Path == s.File }
	}
	return re, opt, err
}

// phrase returns the pattern of a text whose words may have any blanks between them;
// a line break in a cell is shown as \n.
func phrase(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	return strings.Join(words, `(?:[\s\x{a0}\x{202f}]|\\n)+`)
}

// Scope is where a search looks.
type Scope struct {
	Dir     workshop.Path // "" is the root
	File    workshop.Path // only this file; "" is all
	Pattern string        // only paths that it matches; "" is all
}

// ScopeOf reads the path of a search: a folder, a file, or a pattern with *.
func ScopeOf(ctx context.Context, env *tools.Env, s string) (Scope, error) {
	if strings.Contains(s, "*") {
		return Scope{Pattern: strings.ReplaceAll(strings.TrimPrefix(s, "./"), "**/", "*")}, nil
	}
	p, err := workshop.ParseStrict(s)
	if err != nil || p == "" {
		return Scope{}, err
	}
	e, err := stat(ctx, env, p)
	if err != nil || e.IsDir {
		return Scope{Dir: p}, err
	}
	dir := workshop.Path(path.Dir(string(p)))
	if dir == "." {
		dir = ""
	}
	return Scope{Dir: dir, File: p}, nil
}

// Has reports whether a file is in the scope.
func (s Scope) Has(p workshop.Path) bool {
	switch {
	case s.File != "":
		return p == s.File
	case s.Pattern != "":
		return search.MatchPath(s.Pattern, p)
	}
	return s.Dir == "" || strings.HasPrefix(string(p), string(s.Dir)+"/")
}

// unitsOf returns the text of a document with a line for each piece that has an
// address. scanned, where it is not nil, recognises text in images and scans.
func unitsOf(env *tools.Env, scanned *scans) func(context.Context, formats.Source) (string, error) {
	return func(ctx context.Context, src formats.Source) (string, error) {
		if scanned != nil && formats.KindOfName(src.Name()) == formats.KindImage {
			doc, err := scanned.document(ctx, src, doctext.Doc{})
			return linesOfUnits(doc), err
		}
		doc, err := env.Document(ctx, src)
		if err != nil {
			return "", err
		}
		blank := "render shows them"
		switch {
		case doc.Blank > 0 && scanned != nil:
			if doc, err = scanned.document(ctx, src, doc); err != nil {
				return linesOfUnits(doc), err
			}
		case doc.Blank > 0 && env.Pages != nil && env.Pages.CanRecognize():
			blank = "scans: true searches them"
		}
		if doc.Blank > 0 && strings.TrimSpace(doc.Text) == "" {
			return "", formats.Errorf(formats.CodeUnsupported, "its pages have no text, as scanned ones (%s)", blank)
		}
		switch {
		case doc.Cut:
			err = search.Partial("only the beginning of its text was searched, which is longer than 16 MiB")
		case doc.Blank > 0:
			err = search.Partial(fmt.Sprintf("pages without text: %d (%s)", doc.Blank, blank))
		}
		return linesOfUnits(doc), err
	}
}

// linesOfUnits returns the units of a document as lines; the text of a text file.
func linesOfUnits(doc doctext.Doc) string {
	if len(doc.Parts) == 0 {
		return doc.Text
	}
	var sb strings.Builder
	for u := range doc.Units() {
		sb.WriteString(u.Text)
		sb.WriteByte('\n')
	}
	return sb.String()
}

func countHits(ms []search.Match) []FileCount {
	var out []FileCount
	for _, m := range ms {
		if n := len(out); n == 0 || out[n-1].Path != m.Path {
			out = append(out, FileCount{Path: m.Path})
		}
		out[len(out)-1].Hits++
	}
	return out
}

// addressed returns matches, which are in order, with their addresses.
func addressed(ctx context.Context, env *tools.Env, scanned *scans, ms []search.Match) []Hit {
	out := make([]Hit, len(ms))
	limited, stop := timelimit.Early(provenance.Aside(ctx))
	defer stop()
	for from := 0; from < len(ms); {
		to := from + 1
		for to < len(ms) && ms[to].Path == ms[from].Path {
			to++
		}
		provenance.Found(ctx, ms[from].Path)
		for i, at := range addressesIn(limited, env, scanned, ms[from:to]) {
			out[from+i] = Hit{ms[from].Path, at, ms[from+i].Text}
		}
		from = to
	}
	return out
}

// addressesIn returns the addresses of matches in one file, "" for those that are
// no longer there.
func addressesIn(ctx context.Context, env *tools.Env, scanned *scans, ms []search.Match) []string {
	out := make([]string, len(ms))
	var doc doctext.Doc
	if ms[0].Extracted {
		_, src, err := Open(ctx, env, ms[0].Path)
		if err != nil {
			return out
		}
		defer src.Close()
		var ok bool
		if doc, ok = scanned.of(src); !ok {
			if doc, err = env.Document(ctx, src); err != nil {
				return out
			}
		}
	}
	if len(doc.Parts) == 0 {
		for i, m := range ms {
			out[i] = lineAddress(m.Line)
		}
		return out
	}
	n, next := 0, 0
	for u := range doc.Units() {
		if n++; n < ms[next].Line {
			continue
		}
		if isTextOf(ms[next], u.Text) {
			out[next] = u.At
		}
		if next++; next == len(ms) {
			break
		}
	}
	return out
}

// isTextOf reports whether a unit has the text that matched.
func isTextOf(m search.Match, text string) bool {
	text = strings.TrimSuffix(text, "\r")
	return text == m.Text || m.Cut && strings.Contains(text, strings.Trim(m.Text, "…"))
}

func lineAddress(n int) string { return "line " + strconv.Itoa(n) }
