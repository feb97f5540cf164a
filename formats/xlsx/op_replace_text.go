package xlsx

import (
	"context"
	"regexp"
	"strings"

	"atelier/formats"
	"atelier/formats/matches"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type replaceTextArgs struct {
	Search     string       `json:"search" usage:"search" old:"find" jsonschema:"{ops}: what to find in texts; without sheet in all sheets"`
	Replace    *string      `json:"replace" usage:"replace" jsonschema:"{ops}: what to put there; $1 with regex"`
	Sheet      string       `json:"sheet"`
	MatchCase  lenient.Bool `json:"match_case" jsonschema:"{ops}"`
	WholeCell  lenient.Bool `json:"whole_cell" jsonschema:"{ops}: only where it is the whole text of a cell"`
	Regex      lenient.Bool `json:"regex" jsonschema:"{ops}: search is a regular expression (RE2)"`
	InFormulas lenient.Bool `json:"in_formulas" jsonschema:"{ops}: also in formulas"`
}

// textReplacer finds and replaces in the texts of cells.
type textReplacer struct {
	re      *matches.Expr
	literal bool
	with    string
	needle  []byte // see misses
	fold    bool
	whole   bool   // only whole texts are replaced
	buf     []byte // for reuse
}

func newTextReplacer(op replaceTextArgs) (*textReplacer, error) {
	search := op.Search
	if search == "" {
		return nil, formats.Errorf(formats.CodeInvalid, "search is required")
	}
	if op.Replace == nil {
		return nil, formats.Errorf(formats.CodeInvalid, `replace is required; give "" to delete what is found`)
	}
	pattern := search
	if !op.Regex {
		pattern = regexp.QuoteMeta(search)
	}
	if op.WholeCell {
		pattern = `\A(?:` + pattern + `)\z`
	}
	if !op.MatchCase {
		pattern = "(?i)" + pattern
	}
	re, err := matches.Compile(pattern)
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "search is no regular expression (RE2): %v", err)
	}
	r := &textReplacer{re: re, literal: !bool(op.Regex), with: *op.Replace, whole: bool(op.WholeCell)}
	r.setNeedle(search, !bool(op.MatchCase))
	return r, nil
}

// matches finds what to replace in s: offsets, and what comes there.
func (r *textReplacer) matches(ctx context.Context, s string) (at [][2]int, with []string, err error) {
	for m, err := range r.re.All(ctx, s) {
		if err != nil {
			return nil, nil, err
		}
		to := r.with
		if !r.literal {
			to = string(r.re.ExpandString(nil, r.with, s, m))
		}
		at, with = append(at, [2]int{m[0], m[1]}), append(with, to)
	}
	return at, with, nil
}

// found reports whether there is anything to replace in s.
func (r *textReplacer) found(ctx context.Context, s string) (bool, error) {
	for _, err := range r.re.All(ctx, s) {
		return err == nil, err
	}
	return false, nil
}

// plain replaces in a text without formatting.
func (r *textReplacer) plain(ctx context.Context, s string) (string, int, error) {
	at, with, err := r.matches(ctx, s)
	var sb strings.Builder
	pos := 0
	for k, m := range at {
		sb.WriteString(s[pos:m[0]])
		sb.WriteString(with[k])
		pos = m[1]
	}
	return sb.String() + s[pos:], len(at), err
}

// runs replaces in a formatted text; what comes in has the formatting of the
// first character it replaces, and the rest keeps its own.
func (r *textReplacer) runs(ctx context.Context, in []run) ([]run, int, error) {
	at, with, err := r.matches(ctx, plainOf(in))
	if len(at) == 0 || err != nil {
		return in, 0, err
	}
	var out []run
	pos, k := 0, 0
	for _, x := range in {
		end := pos + len(x.text)
		var sb strings.Builder
		from := pos
		for k < len(at) && at[k][0] < end {
			if at[k][0] >= pos {
				sb.WriteString(x.text[from-pos : at[k][0]-pos])
				sb.WriteString(with[k])
			}
			from = min(at[k][1], end)
			if at[k][1] > end {
				break
			}
			k++
		}
		sb.WriteString(x.text[min(from, end)-pos:])
		out = append(out, run{props: x.props, text: sb.String()})
		pos = end
	}
	var kept []run
	for _, x := range out {
		if x.text != "" {
			kept = append(kept, x)
		}
	}
	return kept, len(at), nil
}

// rich replaces in the content of an si or is element.
func (r *textReplacer) rich(ctx context.Context, raw []byte) (xml, text string, hits int, err error) {
	if ctx.Err() != nil {
		return "", "", 0, ctx.Err()
	}
	var x rst
	var runs []run
	if inner, ok := plainItem(raw); ok {
		if r.needle != nil && !r.whole {
			if r.buf, hits = r.replaceASCII(r.buf[:0], inner); hits == 0 {
				return "", "", 0, nil
			}
			if len(r.buf) <= maxCellText {
				xml, text = plainElement(r.buf)
				return xml, text, hits, nil
			}
		}
		if r.misses(inner) {
			return "", "", 0, nil
		}
		if text, hits, err = r.plain(ctx, string(inner)); hits == 0 || err != nil {
			return "", "", 0, err
		}
		runs = []run{{text: text}}
	} else {
		x = parseRst(raw)
		if runs, hits, err = r.runs(ctx, x.runs); hits == 0 || err != nil {
			return "", "", 0, err
		}
		text = plainOf(runs)
	}
	if n := sheetml.UTF16Len(text); n > maxCellText {
		return "", "", 0, formats.Errorf(formats.CodeInvalid, "a text would have %d characters; a cell holds at most %d", n, maxCellText)
	}
	return x.xml(runs), text, hits, nil
}

// hits counts what rich replaces, without making the new text.
func (r *textReplacer) hits(ctx context.Context, raw []byte) (int, error) {
	if inner, ok := plainItem(raw); ok && r.needle != nil && !r.whole && ctx.Err() == nil {
		n := 0
		for i := r.index(inner); i >= 0; i = r.index(inner) {
			n++
			inner = inner[i+len(r.needle):]
		}
		if len(raw)+n*len(r.with) <= maxCellText {
			return n, nil
		}
	}
	_, _, n, err := r.rich(ctx, raw)
	return n, err
}

// replaceASCII appends an ASCII text with the needle replaced.
func (r *textReplacer) replaceASCII(b, text []byte) ([]byte, int) {
	n := 0
	for i := r.index(text); i >= 0; i = r.index(text) {
		n++
		b = append(append(b, text[:i]...), r.with...)
		text = text[i+len(r.needle):]
	}
	return append(b, text...), n
}
