package terms

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/formats/tags"
	"atelier/workshop"
)

// Protected finds the parts of a text that a translation must keep literally.
type Protected struct {
	all  []pattern
	hash string
	open func(name string) (io.ReadCloser, error)
}

type pattern struct {
	re    *regexp.Regexp
	words bool // a match must not be part of a longer word
}

// maxPatterns limits a list of patterns.
const maxPatterns = 10_000

// Patterns compiles do-not-translate patterns. Each is a literal ("Acme
// GmbH"), a literal with the wildcards * (any characters except white space)
// and ? (one of them), a regular expression between slashes (/[A-Z]{2}-\d+/,
// RE2 syntax; /…/i ignores case), or @FILE, a file with one pattern on each
// line and comments after #. Literals and wildcards match whole words and are
// case-sensitive. Without patterns the result is nil.
func Patterns(list []string) (*Protected, error) {
	return PatternsWith(list, func(name string) (io.ReadCloser, error) { return os.Open(name) })
}

// PatternsWith is Patterns with the files of @FILE opened by open.
func PatternsWith(list []string, open func(name string) (io.ReadCloser, error)) (*Protected, error) {
	p := &Protected{open: open}
	h := sha256.New()
	if err := p.addPatterns(list, h.Write, ""); err != nil {
		return nil, err
	}
	p.open = nil
	if len(p.all) == 0 {
		return nil, nil
	}
	p.hash = hex.EncodeToString(h.Sum(nil)[:16])
	return p, nil
}

func (p *Protected) addPatterns(list []string, hash func([]byte) (int, error), file string) error {
	for _, s := range list {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		if name, ok := strings.CutPrefix(s, "@"); ok && file == "" {
			lines, err := p.lines(name)
			if err != nil {
				return err
			}
			if err := p.addPatterns(lines, hash, name); err != nil {
				return err
			}
			continue
		}
		pat, err := compilePattern(s)
		if err != nil {
			where := ""
			if file != "" {
				where = " in " + file
			}
			return workshop.Faultf(workshop.Invalid, "the do-not-translate pattern %s%s is wrong: %w", s, where, err).OnField("do_not_translate")
		}
		if len(p.all) == maxPatterns {
			return workshop.Faultf(workshop.Invalid, "there are more than %d do-not-translate patterns; use wildcards or /expressions/", maxPatterns).OnField("do_not_translate")
		}
		_, _ = hash([]byte(s + "\n")) // a hash never fails
		p.all = append(p.all, pat)
	}
	return nil
}

// lines reads a file of patterns.
func (p *Protected) lines(name string) ([]string, error) {
	f, err := p.open(name)
	if err != nil {
		return nil, workshop.Faultf(workshop.NotFound, "the list of do-not-translate patterns cannot be read: %w", err).OnField("do_not_translate")
	}
	defer f.Close()
	var out []string
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(sc.Text(), "\ufeff"))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if out = append(out, line); len(out) > maxPatterns {
			break // add refuses so many
		}
	}
	if err := sc.Err(); err != nil {
		return nil, workshop.Faultf(workshop.Invalid, "%s is not a list of patterns: %w", name, err).OnField("do_not_translate")
	}
	return out, nil
}

func compilePattern(s string) (pattern, error) {
	if len(s) > 2 && s[0] == '/' {
		if end := strings.LastIndexByte(s, '/'); end > 0 && (s[end+1:] == "" || s[end+1:] == "i") {
			expr := s[1:end]
			if s[end+1:] == "i" {
				expr = "(?i)" + expr
			}
			re, err := regexp.Compile(expr)
			return pattern{re: re}, err
		}
	}
	var sb strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		switch r {
		case '*':
			sb.WriteString(`[^\s\p{Z}]*`)
		case '?':
			sb.WriteString(`[^\s\p{Z}]`)
		case ' ':
			sb.WriteString(`[\s\p{Z}]+`)
		default:
			sb.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	re, err := regexp.Compile(sb.String())
	return pattern{re: re, words: true}, err
}

// Hash returns a hash of the patterns, for the recipe of a translation; ""
// for nil.
func (p *Protected) Hash() string {
	if p == nil {
		return ""
	}
	return p.hash
}

// In returns the protected parts of a text with inline tags, in the order of
// occurrence and including repetitions. Of two overlapping matches the longer
// counts.
func (p *Protected) In(text string) []string {
	if p == nil {
		return nil
	}
	plain := tags.Plain(text)
	var spans [][]int
	for _, pat := range p.all {
		for _, m := range pat.re.FindAllStringIndex(plain, -1) {
			if m[0] < m[1] && (!pat.words || wholeWords(plain, m[0], m[1])) {
				spans = append(spans, m)
			}
		}
	}
	slices.SortFunc(spans, func(a, b []int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return b[1] - a[1]
	})
	var out []string
	end := 0
	for _, m := range spans {
		if m[0] >= end {
			out = append(out, plain[m[0]:m[1]])
			end = m[1]
		}
	}
	return out
}

func wholeWords(s string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(s[start:])
	last, _ := utf8.DecodeLastRuneInString(s[:end])
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	joins := func(a, b rune) bool { return wordRune(a) && wordRune(b) && !Unspaced(a) && !Unspaced(b) }
	return !(start > 0 && joins(before, first)) && !(end < len(s) && joins(last, after))
}
