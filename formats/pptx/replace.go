package pptx

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/segment"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// replaceTextArgs are the members of replace_text.
type replaceTextArgs struct {
	Search    *string       `json:"search" usage:"search" old:"find" jsonschema:"{ops}: text to find; it may span formatting"`
	Replace   *string       `json:"replace" usage:"replace" jsonschema:"{ops}: what takes its place"`
	MatchCase lenient.Bool  `json:"match_case" jsonschema:"tell upper from lower case"`
	WholeWord lenient.Bool  `json:"whole_word" jsonschema:"only whole words"`
	Regex     lenient.Bool  `json:"regex" jsonschema:"search is a regular expression (RE2), replace may have $1"`
	Slides    []lenient.Int `json:"slides" usage:"slides?" jsonschema:"{ops}: only these slides"`
	Index     *lenient.Int  `json:"index" usage:"or index?" old:"slide_index" jsonschema:"the slide, counted from 0"`
	Notes     *lenient.Bool `json:"notes" jsonschema:"{ops}: also in speaker notes; default true"`
}

// replaceText replaces on slides in shapes, tables, groups, charts, diagrams
// and speaker notes, whatever runs the text is split over. What takes the
// place of a text has the formatting of its first run.
func (d *deckEdit) replaceText(ctx context.Context, c *call, a replaceTextArgs) error {
	switch {
	case a.Search == nil:
		return formats.Errorf(formats.CodeInvalid, "search is required")
	case a.Replace == nil:
		return formats.Errorf(formats.CodeInvalid, `replace is required; use "" to delete the text`)
	}
	find, err := paragraph.Search{Text: *a.Search, MatchCase: bool(a.MatchCase), WholeWord: bool(a.WholeWord), Regex: bool(a.Regex)}.Finder()
	if err != nil {
		return formats.Errorf(formats.CodeInvalid, "%w", err)
	}
	list := a.Slides
	if len(list) == 0 && a.Index != nil {
		list = []lenient.Int{*a.Index}
	}
	slides, err := d.slideList(list)
	if err != nil {
		return err
	}
	r := &textReplacement{ctx: ctx, deckEdit: d, call: c, args: a, find: find}
	w := &partWalker{deck: &d.deck, ctx: ctx, seen: map[string]bool{}, fn: r.replacePart, diagrams: segment.Diagrams{}, textOnly: true, absent: find.Absent}
	if err := w.slides(slides, a.searched()); err != nil {
		return err
	}
	if r.more > 0 {
		c.warn("%d more texts may not fit; audit with kinds [\"overflow\"] lists all", r.more)
	}
	if r.labels > 0 {
		c.warn("%d of the texts are labels of charts; their data sheets still have the old ones", r.labels)
	}
	if c.r.Hits == 0 {
		c.warn("%s was not found; nothing was replaced", quote(*a.Search))
	}
	return nil
}

// searched returns the parts beside the slide itself in which text is replaced:
// what other people said in comments is theirs.
func (a replaceTextArgs) searched() (out []textPart) {
	for _, p := range textParts {
		switch p.rel {
		case relComments, relModernComments:
		case relNotes:
			if a.Notes == nil || bool(*a.Notes) {
				out = append(out, p)
			}
		default:
			out = append(out, p)
		}
	}
	return out
}

// textReplacement is a replace_text on its way through the parts.
type textReplacement struct {
	*deckEdit
	ctx    context.Context
	call   *call
	args   replaceTextArgs
	find   *paragraph.Finder
	labels int
	size   int // bytes of new text

	splices []xmlscan.Splice  // of the part in work
	room    []byte            // new texts of the part in work
	ranges  []paragraph.Range // of the text in work

	told, more int // texts that no longer fit: named, and not
}

// overflowsTold bounds how many texts that no longer fit one replacement names.
const overflowsTold = 12

// warnOverflows warns of texts that do not fit any more on a changed slide, of which
// before is the tree that it had.
func (r *textReplacement) warnOverflows(before *tree) error {
	after, err := r.deck.tree(r.ctx, before.part)
	if err != nil {
		return err
	}
	now, err := r.overflowsOf(r.ctx, after)
	if err != nil || len(now) == 0 {
		return err
	}
	was, err := r.overflowsOf(r.ctx, before)
	if err != nil {
		return err
	}
	for _, what := range newOverflows(after, was, now) {
		if r.told++; r.told > overflowsTold {
			r.more++
			continue
		}
		r.call.warn("slide index %d: %s", r.slideOf(before.part), what)
	}
	return nil
}

func (r *textReplacement) replacePart(p unitPart) error {
	splices, room, grows := r.splices[:0], r.room[:0], false
	for i := range p.Texts {
		u := &p.Texts[i]
		if u.Series == segment.Attribute {
			continue
		}
		text := u.Plain
		if u.Para != nil {
			text = u.Para.Peek()
		} else if text == "" {
			continue
		}
		ranges, err := r.find.AppendRanges(r.ctx, r.ranges[:0], text, *r.args.Replace)
		if err != nil {
			return err
		}
		r.ranges = ranges
		r.countSize(ranges)
		grows = grows || mayGrow(u.Para, text, ranges)
		switch {
		case u.Para != nil:
			splices, room = u.Para.AppendReplace(splices, room, ranges)
		case len(ranges) > 0:
			r.labels += len(ranges)
			splices = append(splices, p.Set(u, replaced(text, ranges))...)
		}
		// The same text again for programs that cannot show the first.
		if !u.Fallback && !p.DiagramDrawing() {
			r.call.r.Hits += len(ranges)
		}
		if r.size > opc.MaxPartBytes {
			return errTooMuch
		}
	}
	r.splices, r.room = splices, room
	if len(splices) > 0 {
		r.edit.Set(p.name, xmlscan.Apply(p.Doc, splices))
		if grows && r.slideOf(p.name) >= 0 {
			before, err := parse(r.ctx, p.name, p.Doc)
			if err != nil {
				return err
			}
			return r.warnOverflows(before)
		}
	}
	return nil
}

// mayGrow reports whether a text may need more room with ranges replaced: only if each
// of them stays in one run and gets no wider is it known not to.
func mayGrow(para *paragraph.Paragraph, text string, ranges []paragraph.Range) bool {
	for _, x := range ranges {
		old := text[x.Start:x.End]
		if para == nil || strings.TrimSpace(old) == "" || strings.TrimSpace(x.New) == "" || strings.ContainsAny(x.New, "\n\r\t\v") ||
			letters(x.New) > letters(old) || !para.InOneRun(x.Start, x.End) {
			return true
		}
	}
	return false
}

var errTooMuch error = formats.Errorf(formats.CodeTooLarge, "the replaced text would be larger than %d MiB", opc.MaxPartBytes>>20)

func (r *textReplacement) countSize(ranges []paragraph.Range) {
	for _, x := range ranges {
		r.size += len(x.New)
	}
}

// replaced returns text with ranges replaced.
func replaced(text string, ranges []paragraph.Range) string {
	var sb strings.Builder
	at := 0
	for _, r := range ranges {
		sb.WriteString(text[at:r.Start])
		sb.WriteString(r.New)
		at = r.End
	}
	return sb.String() + text[at:]
}
