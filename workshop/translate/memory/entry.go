package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"atelier/formats/tags"
	"atelier/workshop"
)

// Pair is a source and a target language: BCP 47 tags in lower case. From is
// "" if it is unknown; then it matches any language.
type Pair struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Canonical returns the pair with its tags as the memory stores them: lower
// case, with hyphens.
func (p Pair) Canonical() Pair { return Pair{canonical(p.From), canonical(p.To)} }

func canonical(tag string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(tag), "_", "-"))
}

// Origin tells where a translation comes from.
type Origin string

// The origins, best first.
const (
	Person   Origin = "person"   // written or confirmed by a person here
	Imported Origin = "imported" // from another tool's memory
	Machine  Origin = "machine"  // by a translator, checked
)

// origins in the order of their rank; the database stores the index.
var origins = []Origin{"", Person, Imported, Machine}

// Entry is a translation in the memory.
type Entry struct {
	Pair
	Source, Target string // with inline tags
	Origin         Origin
	Recipe         string // of machine entries: what produced them; "" otherwise
	Document       string // where the source occurs, for people
	Place          string
	By             string    // who wrote it
	Changed        time.Time // to the millisecond; Put dates an entry without one
}

// MaxText is the maximum number of bytes of a source or a target.
const MaxText = 256 << 10

// check returns why an entry cannot be stored.
func (e Entry) check() error {
	bad := func(format string, args ...any) error {
		return workshop.Faultf(workshop.Invalid, "translation memory: "+format, args...)
	}
	switch {
	case e.To == "":
		return bad("an entry has no target language")
	case len(e.To) > 64 || len(e.From) > 64:
		return bad("%.40q… is not a language", e.To+e.From)
	case slices.Index(origins, e.Origin) < 1:
		return bad("%q is not an origin; use person, imported or machine", e.Origin)
	case strings.TrimSpace(e.Source) == "" || strings.TrimSpace(e.Target) == "":
		return bad("an entry has no source or no target")
	case len(e.Source) > MaxText || len(e.Target) > MaxText:
		return bad("an entry has more than %d KB", MaxText>>10)
	}
	return nil
}

// numbering maps the numbers of a text's tags to 1, 2, 3 … in the order of
// their first use.
type numbering map[int]int

func numberingOf(source string) numbering {
	n := numbering{}
	if !strings.Contains(source, "<") {
		return n
	}
	for _, t := range tags.Parse(source) {
		if t.Kind != tags.Text {
			n.numberOf(t.N)
		}
	}
	return n
}

func (n numbering) numberOf(tag int) int {
	if n[tag] == 0 {
		n[tag] = len(n) + 1
	}
	return n[tag]
}

// inverse returns the inverse numbering; a tag that it lacks keeps its number.
func (n numbering) inverse() map[int]int {
	out := make(map[int]int, len(n))
	for from, to := range n {
		out[to] = from
	}
	return out
}

// apply returns a text with its tags renumbered.
func (n numbering) apply(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return text
	}
	tokens := tags.Parse(text)
	for i, t := range tokens {
		if t.Kind != tags.Text {
			tokens[i].N = n.numberOf(t.N)
		}
	}
	return tags.String(tokens)
}

// restoreNumbers returns a stored text with the original numbers.
func restoreNumbers(text string, back map[int]int) string {
	if len(back) == 0 {
		return text
	}
	tokens := tags.Parse(text)
	for i, t := range tokens {
		if to, ok := back[t.N]; ok && t.Kind != tags.Text {
			tokens[i].N = to
		}
	}
	return tags.String(tokens)
}

// keyOf returns the index key of a text. Texts with the same key are then
// compared in full.
func keyOf(text string) int64 {
	h := sha256.Sum256([]byte(text))
	return int64(binary.BigEndian.Uint64(h[:8]))
}

// nearness ranks how well a language of the memory serves a requested one: 0
// the same, 1 one of the two names no region (es and es-ES), 2 another region
// (es-MX and es-ES), -1 not at all: another language or script.
func nearness(asked, have string) int {
	if asked == have {
		return 0
	}
	a, h := localeOf(asked), localeOf(have)
	switch {
	case a.base != h.base || a.script != h.script:
		return -1
	case a.region == "" || h.region == "":
		return 1
	}
	return 2
}

type locale struct{ base, script, region string }

// localeOf splits a tag. If the tag names no script, it returns the usual
// one, such as Hant for zh-TW; it returns a region only if the tag names one.
func localeOf(tag string) locale {
	base, rest, _ := strings.Cut(tag, "-")
	t, err := language.Parse(tag)
	if err != nil {
		return locale{base, "", rest}
	}
	s, _ := t.Script()
	_, _, region := t.Raw()
	out := locale{base: base, script: s.String()}
	if region != (language.Region{}) {
		out.region = region.String()
	}
	return out
}

// String returns "en → es", or "→ es" if the source language is unknown.
func (p Pair) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s → %s", p.From, p.To))
}
