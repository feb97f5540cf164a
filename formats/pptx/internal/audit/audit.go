package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/textclip"
)

// The kinds of findings, in the order in which those of one severity are listed.
// The first three say what is in a wrong place.
const (
	kindOverflow    = "overflow"
	kindOffSlide    = "off_slide"
	kindOverlap     = "overlap"
	kindContrast    = "contrast"
	kindPlaceholder = "placeholder"
	kindLink        = "broken_link"
	kindEmpty       = "empty_placeholder"
	kindNoTitle     = "title_missing"
	kindSameTitle   = "title_repeated"
	kindTitlePlace  = "title_position"
	kindTitleSize   = "title_size"
	kindDistorted   = "distorted_picture"
	kindSmall       = "small_text"
	kindFont        = "font"
	kindColor       = "color"
	kindAlt         = "alt_text"
)

var kinds = []string{kindOverflow, kindOffSlide, kindOverlap, kindContrast, kindPlaceholder, kindLink, kindEmpty, kindNoTitle, kindSameTitle, kindTitlePlace, kindTitleSize, kindDistorted, kindSmall, kindFont, kindColor, kindAlt}

// Kinds lists the kinds of findings.
func Kinds() []string { return slices.Clone(kinds) }

// KindMap asks for the map of the deck.
const KindMap = "map"

const (
	pairsMost   = 2_000_000 // pairs of shapes that are compared in a deck
	pairsCheck  = 1 << 16   // pairs between two looks at the context
	shownPlaces = 8         // addresses that a finding about several places names
	namesMost   = 2_000     // fonts or colours that are told apart
)

// Auditor looks at the slides of a deck one after the other.
type Auditor struct {
	deck  Deck
	opt   formats.AuditOptions
	out   *formats.Audit
	pairs int // compared so far

	hidden  []int
	layouts map[string]*tally
	titles  []title
	fonts   map[string]*tally
	colors  map[RGB]*tally
	letters int // of all texts
	themed  int // uses of colours of the theme
	literal int // uses of other colours
	noTitle []string
	noAlt   places
}

// tally counts where something is used.
type tally struct {
	n      int // letters or uses
	slides int
	last   int // slide that was counted last
	at     places
}

// places are addresses, the first of them by name.
type places struct {
	first []string
	n     int
}

func (p *places) add(at string) {
	if p.n++; len(p.first) < shownPlaces {
		p.first = append(p.first, at)
	}
}

func (p *places) String() string {
	s := strings.Join(p.first, "; ")
	if more := p.n - len(p.first); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// New begins an audit.
func New(d Deck, opt formats.AuditOptions) *Auditor {
	return &Auditor{deck: d, opt: opt, out: &formats.Audit{}, layouts: map[string]*tally{}, fonts: map[string]*tally{}, colors: map[RGB]*tally{}}
}

// Slide looks at a slide.
func (a *Auditor) Slide(ctx context.Context, s *Slide) error {
	if s.Hidden {
		a.hidden = append(a.hidden, s.Index)
	}
	count(a.layouts, s.LayoutName, 1, s.Index, "")
	steps := []struct {
		kinds []string
		look  func(context.Context, *Slide)
	}{
		{[]string{kindOverflow}, a.overflows},
		{[]string{kindOffSlide}, a.offSlide},
		{[]string{kindOverlap}, a.overlaps},
		{[]string{kindContrast}, a.contrasts},
		{[]string{kindPlaceholder, kindEmpty, kindLink, kindAlt, kindDistorted}, a.contents},
		{[]string{kindNoTitle, kindSameTitle, kindTitlePlace, kindTitleSize}, a.collectTitle},
		{[]string{kindSmall}, a.smallTexts},
		{[]string{kindFont, kindColor, KindMap}, a.collectLooks},
	}
	for _, step := range steps {
		if slices.ContainsFunc(step.kinds, a.opt.Wants) {
			step.look(ctx, s)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Unseen notes what is not looked at, and why.
func (a *Auditor) Unseen(what string) { a.out.Unseen = append(a.out.Unseen, what) }

// Finish looks at what slides have in common, and returns all findings.
func (a *Auditor) Finish(ctx context.Context) (*formats.Audit, error) {
	a.compareTitles()
	a.oddFonts()
	a.oddColors()
	if a.noAlt.n > 0 {
		a.find(kindAlt, formats.SeverityLow, a.noAlt.first[0], fmt.Sprintf("%s without alternative text: %s", formats.Count(a.noAlt.n, "picture, chart or diagram", "pictures, charts or diagrams"), &a.noAlt), "")
	}
	if a.pairs >= pairsMost {
		a.Unseen(fmt.Sprintf("overlaps and contrast beyond %d pairs of shapes", pairsMost))
	}
	if len(a.fonts) >= namesMost || len(a.colors) >= namesMost {
		a.Unseen(fmt.Sprintf("fonts and colours beyond %d", namesMost))
	}
	if a.opt.Wants(KindMap) {
		a.out.Map = a.deckMap()
	}
	a.out.Rank(kinds)
	return a.out, ctx.Err()
}

// find adds a finding when its kind is wanted.
func (a *Auditor) find(kind string, s formats.Severity, at, fact, expected string) {
	switch {
	case !a.opt.Wants(kind):
	case len(a.out.Findings) >= 2*formats.MaxFindings:
		a.out.Drop(kind)
	default:
		a.out.Add(formats.Finding{Kind: kind, Severity: s, At: at, Fact: fact, Expected: expected})
	}
}

// pair counts a comparison of two shapes; false when there were too many, or when
// ctx is done.
func (a *Auditor) pair(ctx context.Context) bool {
	a.pairs++
	return a.pairs < pairsMost && (a.pairs%pairsCheck != 0 || ctx.Err() == nil)
}

// count adds to the tally of a name; what is beyond namesMost is not told apart.
func count[K comparable](m map[K]*tally, key K, n, slide int, at string) {
	t := m[key]
	if t == nil {
		if len(m) >= namesMost {
			return
		}
		t = &tally{last: -1}
		m[key] = t
	}
	t.n += n
	if t.last != slide {
		t.last = slide
		t.slides++
	}
	if at != "" {
		t.at.add(at)
	}
}

// at returns the address of a slide, or of a shape on it.
func (s *Slide) at() string { return fmt.Sprintf("slide_index %d", s.Index) }

func (s *Slide) shapeAt(id int) string {
	return fmt.Sprintf("slide_index %d, shape_id %d", s.Index, id)
}

// named names a shape in a fact.
func (s *Shape) named() string {
	return fmt.Sprintf("%s %d %s", cmp.Or(s.Kind, "shape"), s.ID, quote(s.Name))
}

// quote shows a text in a finding.
func quote(s string) string {
	return `"` + textclip.Head(strings.Join(strings.Fields(s), " "), 60) + `"`
}
