// Package lazyregexp compiles regular expressions when they are first used. A
// program that compiles a hundred of them as package variables spends milliseconds
// on it at every start, also for commands that use none.
//
//	var number = lazyregexp.New(`^\d+$`)
//
//	number.MatchString("42")
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is an expression that is compiled when it is first used. It is safe for
// concurrent use. Its methods are those of regexp.Regexp.
type Regexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// New returns the expression, which must be valid: its first use panics otherwise.
func New(expr string) *Regexp { return &Regexp{expr: expr} }

func (r *Regexp) compiled() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.expr) })
	return r.re
}

// Regexp returns the compiled expression.
func (r *Regexp) Regexp() *regexp.Regexp { return r.compiled() }

// String returns the expression as it is written.
func (r *Regexp) String() string { return r.expr }

// MatchString reports whether s contains a match.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// Match reports whether b contains a match.
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// FindString returns the first match in s.
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindStringIndex returns the place of the first match in s.
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

// FindIndex returns the place of the first match in b.
func (r *Regexp) FindIndex(b []byte) []int { return r.compiled().FindIndex(b) }

// FindAllIndex returns the places of up to n matches in b, all for n < 0.
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int { return r.compiled().FindAllIndex(b, n) }

// FindStringSubmatch returns the first match in s and its groups.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindSubmatch returns the first match in b and its groups.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

// FindStringSubmatchIndex returns the places of the first match in s and of its groups.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindSubmatchIndex returns the places of the first match in b and of its groups.
func (r *Regexp) FindSubmatchIndex(b []byte) []int { return r.compiled().FindSubmatchIndex(b) }

// FindAllString returns up to n matches in s, all for n < 0.
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

// FindAllStringIndex returns the places of up to n matches in s, all for n < 0.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch returns up to n matches in s with their groups, all for n < 0.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns the places of up to n matches in s and of their
// groups, all for n < 0.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString replaces all matches in s by repl, in which $1 is a group.
func (r *Regexp) ReplaceAllString(s, repl string) string {
	return r.compiled().ReplaceAllString(s, repl)
}

// ReplaceAllStringFunc replaces all matches in s by what repl returns for them.
func (r *Regexp) ReplaceAllStringFunc(s string, repl func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, repl)
}

// ReplaceAll replaces all matches in b by repl, in which $1 is a group.
func (r *Regexp) ReplaceAll(b, repl []byte) []byte { return r.compiled().ReplaceAll(b, repl) }

// Split splits s at up to n-1 matches, at all for n < 0.
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }

// FindAll returns up to n matches in b, all for n < 0.
func (r *Regexp) FindAll(b []byte, n int) [][]byte { return r.compiled().FindAll(b, n) }

// ReplaceAllFunc replaces all matches in b by what repl returns for them.
func (r *Regexp) ReplaceAllFunc(b []byte, repl func([]byte) []byte) []byte {
	return r.compiled().ReplaceAllFunc(b, repl)
}

// FindAllSubmatch returns up to n matches in b with their groups, all for n < 0.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}
