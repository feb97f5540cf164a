package template

import (
	"context"
	"strings"

	"atelier/formats/ooxml/paragraph"
)

// inline returns what takes the place of the placeholders of a text.
func (f *filler) inline(ctx context.Context, text string, s *scope, place func() string) ([]paragraph.Range, error) {
	list := f.tokens(text)
	if len(list) == 0 {
		return nil, nil
	}
	var out []paragraph.Range
	err := f.between(ctx, text, list, s, place, &out, 0)
	return out, err
}

// between fills list, the tokens of a part of text.
func (f *filler) between(ctx context.Context, text string, list []token, s *scope, place func() string, out *[]paragraph.Range, depth int) error {
	if depth > maxNesting {
		return tooDeep()
	}
	for i := 0; i < len(list); i++ {
		t := list[i]
		if t.kind == valueToken {
			new, ok, err := f.value(ctx, t, s, place)
			if err != nil {
				return err
			}
			if ok {
				*out = append(*out, paragraph.Range{Start: t.start, End: t.end, New: new})
			}
			continue
		}
		otherwise, end := -1, -1
		if t.opens() {
			otherwise, end = partner(list, i)
		}
		if end < 0 {
			if s.strip {
				*out = append(*out, paragraph.Range{Start: t.start, End: t.end})
			} else {
				f.tally.loose(t.raw, place())
			}
			continue
		}
		scopes, ok := f.choose(t, s, place)
		if !ok {
			i = end
			continue
		}
		if err := f.block(ctx, text, list[i:end+1], otherwise-i, scopes, s, place, out, depth); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// block fills a block within a paragraph; list goes from its first tag to its
// last, otherwise is the index of its else. Text that is used once keeps its runs,
// text that repeats takes the formatting of the first tag.
func (f *filler) block(ctx context.Context, text string, list []token, otherwise int, scopes []*scope, s *scope, place func() string, out *[]paragraph.Range, depth int) error {
	first, last := list[0], list[len(list)-1]
	yes, yesEnd := list[1:len(list)-1], last.start
	var no []token
	if otherwise > 0 {
		yes, no, yesEnd = list[1:otherwise], list[otherwise+1:len(list)-1], list[otherwise].start
	}
	cut := func(start, end int) { *out = append(*out, paragraph.Range{Start: start, End: end}) }
	switch {
	case len(scopes) == 0 && otherwise > 0:
		cut(first.start, list[otherwise].end)
		if err := f.between(ctx, text, no, s, place, out, depth+1); err != nil {
			return err
		}
		cut(last.start, last.end)
	case len(scopes) == 0:
		cut(first.start, last.end)
	case len(scopes) == 1:
		cut(first.start, first.end)
		if err := f.between(ctx, text, yes, scopes[0], place, out, depth+1); err != nil {
			return err
		}
		cut(yesEnd, last.end)
	default:
		var sb strings.Builder
		for _, sc := range scopes {
			if err := f.step(ctx); err != nil {
				return err
			}
			var ranges []paragraph.Range
			was := sb.Len()
			if err := f.between(ctx, text, yes, sc, place, &ranges, depth+1); err != nil {
				return err
			}
			at := first.end
			for _, r := range ranges {
				sb.WriteString(text[at:r.Start] + r.New)
				at = r.End
			}
			sb.WriteString(text[at:yesEnd])
			if f.left -= sb.Len() - was; f.left < 0 {
				return tooLarge()
			}
		}
		*out = append(*out, paragraph.Range{Start: first.start, End: last.end, New: sb.String()})
	}
	return nil
}

// choose returns the scopes for which a block is shown; ok is false where the data
// has not its name, and the block stays.
func (f *filler) choose(t token, s *scope, place func() string) (scopes []*scope, ok bool) {
	if t.kind == eachToken {
		scopes, ok = s.each(t.name)
	} else {
		holds, found := s.condition(t.name)
		if ok = found; holds != (t.kind == unlessToken) {
			scopes = []*scope{{parent: s, strip: s.strip}}
		}
	}
	if !ok {
		f.tally.missing(t.raw, place())
		return nil, false
	}
	f.tally.use(t.name)
	return scopes, true
}

// value returns the text of a placeholder; ok is false where it stays.
func (f *filler) value(ctx context.Context, t token, s *scope, place func() string) (string, bool, error) {
	v, ok := s.find(t.name)
	ok = ok || s.absent(t.name)
	text, err := "", error(nil)
	if isPicture(t.filters) {
		if text, ok = f.pathOf(v, ok); ok && text != "" {
			f.tally.fill(t.name, text)
			text, err = f.mark(ctx, t, text, place)
			return text, true, err
		}
	} else if ok || strings.Contains(t.filters, "default") {
		text, ok, err = f.filtered(v, t.filters)
	}
	switch {
	case err != nil:
		return "", false, err
	case !ok:
		f.tally.missing(t.raw, place())
		return "", false, nil
	}
	f.tally.fill(t.name, text)
	if f.left -= len(text); f.left < 0 {
		return "", false, tooLarge()
	}
	return text, true, nil
}

// pathOf is the path of a picture that a value gives; ok is false for a value that is
// no text.
func (f *filler) pathOf(v any, found bool) (string, bool) {
	text, ok := textOf(v)
	return strings.TrimSpace(text), ok && found
}
