package pptx

import (
	"context"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"atelier/formats"
	"atelier/formats/inline"
	"atelier/formats/xmlscan"
)

type segmenter struct{}

// Segments implements formats.Segmenter. Numbers, links and whatever else has
// no words are left out; slide by slide the slide's shapes come first, then
// its charts, diagrams, notes and comments.
func (segmenter) Segments(ctx context.Context, src formats.Source, _ formats.SegmentOptions) ([]formats.Segment, error) {
	d, _, err := openDeck(ctx, src)
	if err != nil {
		return nil, err
	}
	segs := []formats.Segment{}
	err = d.allParts(ctx, func(p unitPart) error {
		for _, u := range p.units {
			if text := p.t.tagged(u); translatable(inline.Plain(text)) {
				segs = append(segs, formats.Segment{ID: u.id, Text: text, Place: u.place, Notes: u.notes()})
			}
		}
		return nil
	})
	return segs, err
}

// notes are the constraints of a unit, in words.
func (u *unit) notes() []string {
	if u.para == nil && !u.n.Is(nsP, "text") {
		return []string{"label shown from the chart's data sheet, which keeps the source text"}
	}
	return nil
}

// tagged is the text of a unit with inline tags.
func (t *tree) tagged(u *unit) string {
	if u.para == nil {
		return inline.Escape(t.text(u.n))
	}
	return u.para.Tagged()
}

// Replace implements formats.Segmenter. A target for an ID that the deck does
// not have is refused like one with the wrong tags.
func (segmenter) Replace(ctx context.Context, src formats.Source, dst io.Writer, targets map[string]string, _ formats.ReplaceOptions) error {
	d, pkg, err := openDeck(ctx, src)
	if err != nil {
		return err
	}
	ed, left := pkg.Edit(), maps.Clone(targets)
	err = d.allParts(ctx, func(p unitPart) error {
		var splices []xmlscan.Splice
		for _, u := range p.units {
			target, ok := targets[u.id]
			if !ok {
				continue
			}
			delete(left, u.id)
			s, err := p.t.replaceUnit(u, target)
			if err != nil {
				return err
			}
			splices = append(splices, s...)
		}
		if len(splices) > 0 {
			ed.Set(p.t.part, xmlscan.Apply(p.t.doc, splices))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return formats.Errorf(formats.CodeInvalid, "there is no segment %q", slices.Min(slices.Collect(maps.Keys(left))))
	}
	return ed.Write(ctx, dst)
}

// replaceUnit puts the text target into a unit; none when it says that already.
func (t *tree) replaceUnit(u *unit, target string) ([]xmlscan.Splice, error) {
	if u.para != nil {
		splices, err := u.para.Retag(target)
		if err != nil {
			return nil, formats.Errorf(formats.CodeInvalid, "segment %q: %w", u.id, err)
		}
		return splices, nil
	}
	if err := inline.Check(t.tagged(u), target); err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "segment %q: %w", u.id, err)
	}
	text := inline.Plain(target)
	var splices []xmlscan.Splice
	for _, n := range append([]*node{u.n}, u.twins...) {
		if t.text(n) != text {
			splices = append(splices, t.setValue(n, []byte(xmlscan.Escape(text))))
		}
	}
	return splices, nil
}

// setValue replaces the character data of n.
func (t *tree) setValue(n *node, text []byte) xmlscan.Splice {
	if n.Empty {
		return t.insertLast(n, text)[0]
	}
	return xmlscan.Splice{Start: n.End, End: n.close, New: text}
}

var (
	onlyLink = regexp.MustCompile(`^(?i:(?:https?|ftp|file|mailto|tel):\S+|www\.\S+\.\S+|[^\s@]+@[^\s@]+\.[^\s@]+)$`)
	onlyCode = regexp.MustCompile(`^(?:\{[0-9A-Za-z_]*\}|%[sdvfq]|\$\{[^}]*\})$`)
)

// translatable reports whether a text is for people: it has a letter and is
// not only a link, an address or a placeholder (TR-04).
func translatable(s string) bool {
	s = strings.TrimSpace(s)
	return strings.IndexFunc(s, unicode.IsLetter) >= 0 && !onlyLink.MatchString(s) && !onlyCode.MatchString(s)
}
