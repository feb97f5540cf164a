// Package redact takes out of a recording what must not leave the machine: keys,
// and the paths and names that tell whose machine it was (D-21, L-11).
//
//	r := redact.New()
//	r.Secret(key)                     // becomes REDACTED, the next one REDACTED-2 …
//	r.Path("/home/ann", "$HOME")
//	r.Name("ann", "$USER")
//	r.Learn(text)                     // what looks like a key, in each text there is
//	clean := r.Text(text)
//
// The same thing becomes the same mark wherever it stands and however it is
// written: plain, escaped for JSON once or more, percent-encoded, escaped for
// XML, inside base64 that is text, in pieces over the deltas of a stream
// (Stream), in the parts of an office file (File). So a recording still fits
// together when it is played.
package redact

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/internal/lazyregexp"
)

// Mark stands where a key was.
const Mark = "REDACTED"

// shortest is the length from which on a secret is taken out: a key such as
// "ollama" or "none" is none, and words would be torn out of the text.
const shortest = 8

// Redactor knows what is to be taken out. The zero value takes out nothing. It
// must not be changed while it is in use.
type Redactor struct {
	list    []literal // longest first
	known   map[string]bool
	secrets int
	first   [256]bool // bytes a literal can begin with
}

// literal is one thing to take out.
type literal struct {
	text, mark string
	before     bool // must not follow a letter or digit
	after      bool // must not be followed by one
}

// New returns a Redactor that takes out nothing yet.
func New() *Redactor { return &Redactor{known: map[string]bool{}} }

// Secret takes out a key. Those of less than eight bytes are none.
func (r *Redactor) Secret(key string) {
	key = strings.TrimSpace(key)
	if len(key) < shortest || r.known[key] {
		return
	}
	r.secrets++
	mark := Mark
	if r.secrets > 1 {
		mark = fmt.Sprintf("%s-%d", Mark, r.secrets)
	}
	r.add(literal{text: key, mark: mark})
}

// Swap puts to in the place of from, an id or a hash; false when that is known.
func (r *Redactor) Swap(from, to string) bool {
	if from == "" || r.known[from] {
		return false
	}
	r.add(literal{text: from, mark: to, before: true, after: true})
	return true
}

// Path puts mark in the place of a folder's path, with either kind of slashes.
// A root of a file system is left.
func (r *Redactor) Path(path, mark string) {
	path = strings.TrimRight(path, `/\`)
	if len(path) < 3 || r.known[path] {
		return
	}
	r.add(literal{text: path, mark: mark, after: true})
	if slashes := strings.ReplaceAll(path, `\`, "/"); slashes != path {
		r.add(literal{text: slashes, mark: mark, after: true})
	}
}

// ordinary are names that tell nothing of anybody, or that stand in every
// recording for something else.
var ordinary = strings.Fields(`root user users admin administrator guest nobody test tester owner home runner ubuntu debian
	docker vagrant localhost localdomain computer desktop laptop server main default public shared system atelier
	assistant model models tool tools role name text file files path delta index choices content message messages error
	object function arguments type stop usage data body status call finish send run sheet range section slide title value
	workbench draft publish agent plan build none null true false list read write edit`)

// Name puts mark in the place of a name of a person or machine, where it stands
// as a word. Names of less than three bytes and ordinary ones are left.
func (r *Redactor) Name(name, mark string) {
	if len(name) < 3 || r.known[name] || slices.Contains(ordinary, strings.ToLower(name)) {
		return
	}
	r.add(literal{text: name, mark: mark, before: true, after: true})
}

func (r *Redactor) add(l literal) {
	r.known[l.text] = true
	r.list = append(r.list, l)
	slices.SortStableFunc(r.list, func(a, b literal) int { return cmp.Compare(len(b.text), len(a.text)) })
	r.first[l.text[0]] = true
	for _, c := range `\%&` {
		r.first[c] = true
	}
}

// Text returns s with everything taken out.
func (r *Redactor) Text(s string) string { return apply(s, r.find(s)) }

// Clean reports whether nothing in s has to be taken out.
func (r *Redactor) Clean(s string) bool { return len(r.find(s)) == 0 }

// span is a stretch of a text and what comes in its place.
type span struct {
	from, to int
	with     string
}

func apply(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	var sb strings.Builder
	at := 0
	for _, p := range spans {
		sb.WriteString(s[at:p.from])
		sb.WriteString(p.with)
		at = p.to
	}
	sb.WriteString(s[at:])
	return sb.String()
}

// find returns what has to be replaced in s, in order.
func (r *Redactor) find(s string) []span {
	if len(r.list) == 0 {
		return nil
	}
	var spans []span
	for i := 0; i < len(s); {
		if l, n := r.at(s, i); n > 0 {
			spans = append(spans, span{i, i + n, l.mark})
			i += n
			continue
		}
		i++
	}
	return r.encoded(s, spans)
}

// at finds the longest literal that stands at s[i:], and how many bytes it takes.
func (r *Redactor) at(s string, i int) (literal, int) {
	if !r.first[s[i]] {
		return literal{}, 0
	}
	for _, l := range r.list {
		n := match(s[i:], l.text)
		if n == 0 || l.before && wordBefore(s, i) || l.after && wordAfter(s, i+n) {
			continue
		}
		return l, n
	}
	return literal{}, 0
}

var base64Run = lazyregexp.New(`[A-Za-z0-9+/_-]{16,}={0,2}`)

// encoded adds the runs of base64 between spans that are text with something to
// take out in it.
func (r *Redactor) encoded(s string, spans []span) []span {
	at, more := 0, []span(nil)
	for _, p := range append(slices.Clone(spans), span{len(s), len(s), ""}) {
		for _, m := range base64Run.FindAllStringIndex(s[at:p.from], -1) {
			from, to := at+m[0], at+m[1]
			if with, ok := r.base64(s[from:to]); ok {
				more = append(more, span{from, to, with})
			}
		}
		at = p.to
	}
	if more == nil {
		return spans
	}
	spans = append(spans, more...)
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return spans
}

func (r *Redactor) base64(s string) (string, bool) {
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		b, err := e.DecodeString(s)
		if err != nil {
			continue
		}
		if !utf8.Valid(b) {
			return "", false
		}
		clean := r.Text(string(b))
		return e.EncodeToString([]byte(clean)), clean != string(b)
	}
	return "", false
}
