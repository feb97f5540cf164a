package docx

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/matches"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// finder returns the search of replace_text and its kin.
func (m matchArgs) finder(search *string) (*matches.Expr, error) {
	if search == nil {
		return nil, formats.Errorf(formats.CodeInvalid, "search is required")
	}
	expr := *search
	if !m.Regex {
		expr = regexp.QuoteMeta(expr)
	}
	if m.WholeWord {
		expr = `\b(?:` + expr + `)\b`
	}
	if !m.MatchCase {
		expr = "(?i)" + expr
	}
	find, err := matches.Compile(expr)
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "search is not a valid expression: %w", err)
	}
	return find, nil
}

// scopes are the words of an operation's scope.
var scopes = strings.Fields("body tables text_boxes headers footers footnotes endnotes comments")

// inScope reports whether a paragraph is to be searched.
func inScope(scope []string, tp textPart, n *node) bool {
	if len(scope) == 0 {
		return true
	}
	has := func(w string) bool { return slices.Contains(scope, w) }
	where := "body"
	switch tp.word {
	case "header", "footer":
		where = tp.word + "s"
	case "footnotes", "endnotes", "comments":
		where = tp.word
	}
	if where != "body" {
		return has(where)
	}
	for a := n.parent; a != nil; a = a.parent {
		switch a.kind {
		case boxNode:
			return has("text_boxes")
		case tableNode:
			return has("tables")
		}
	}
	return has("body")
}

// searched calls do with every paragraph an operation looks at, part by part;
// what do returns is spliced into the part.
func (e *editing) searched(ctx context.Context, at string, scope []string, do func(p *part, n *node) ([]xmlscan.Splice, error)) error {
	for _, s := range scope {
		if !slices.Contains(scopes, s) {
			return formats.Errorf(formats.CodeInvalid, "scope %q is not one of %s", s, strings.Join(scopes, ", "))
		}
	}
	if at != "" {
		pl, err := e.resolve(ctx, at)
		if err != nil {
			return err
		}
		return e.searchPart(ctx, pl.part, func(n *node) bool { return n.within(pl.node) }, do)
	}
	parts, err := e.textParts(ctx)
	if err != nil {
		return err
	}
	for _, tp := range parts {
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := e.load(ctx, tp)
		if err != nil {
			return err
		}
		if err := e.searchPart(ctx, p, func(n *node) bool { return inScope(scope, tp, n) }, do); err != nil {
			return err
		}
	}
	return nil
}

// searchPart calls do with the paragraphs of a part that want accepts.
func (e *editing) searchPart(ctx context.Context, p *part, want func(*node) bool, do func(p *part, n *node) ([]xmlscan.Splice, error)) error {
	var splices []xmlscan.Splice
	for i, n := range p.nodes {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !want(n) {
			continue
		}
		more, err := do(p, n)
		if err != nil {
			return err
		}
		splices = append(splices, more...)
	}
	e.splice(p, splices...)
	return nil
}

// within reports whether n is a block or in it.
func (n *node) within(block *node) bool {
	for a := n; a != nil; a = a.parent {
		if a == block {
			return true
		}
	}
	return false
}

// Limits of one operation.
const (
	// maxTracked bounds the tracked changes: each takes some 500 bytes of XML and
	// several times that while it is written.
	maxTracked = 50_000
	// maxRestyled bounds the pieces of one paragraph that format_text formats.
	maxRestyled = 50_000
)

// tooManyTracked is the error of an operation with more than maxTracked changes.
func tooManyTracked() error {
	return formats.Errorf(formats.CodeTooLarge, "more than %d places were found, which is too many to record each as a tracked change; search for less, name a section with at, or work without tracking", maxTracked)
}

// replaceTextArgs are the members of replace_text.
type replaceTextArgs struct {
	Search  *string `json:"search" usage:"search" old:"find" jsonschema:"{ops}: text to find; it may span formatting but not paragraphs"`
	Replace *string `json:"replace" usage:"replace" jsonschema:"{ops}: what takes its place; with regex $1 is the first group"`
	matchArgs
	At string `json:"at" usage:"or at?"`
	trackingArgs
}

// replaceText replaces wherever text stands.
func (e *editing) replaceText(ctx context.Context, op replaceTextArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	find, err := op.finder(op.Search)
	if err != nil {
		return rep, err
	}
	if op.Replace == nil {
		return rep, formats.Errorf(formats.CodeInvalid, "replace is required; use \"\" to delete the text")
	}
	if *op.Search == "" {
		rep.Warnings = append(rep.Warnings, "search is empty: nothing was replaced")
		return rep, nil
	}
	left := ""
	if op.At == "" && len(op.Scope) == 0 {
		if left, err = e.notSearched(ctx, func(text string) (int, error) {
			found, err := found(ctx, find, text, "", false)
			return len(found), err
		}); err != nil {
			return rep, err
		}
	}
	same := 0
	err = e.searched(ctx, op.At, op.Scope, func(p *part, n *node) ([]xmlscan.Splice, error) {
		para := p.paras[n.para]
		text := para.Text()
		found, err := found(ctx, find, text, *op.Replace, bool(op.Regex))
		if err != nil {
			return nil, err
		}
		ranges := slices.DeleteFunc(slices.Clone(found), func(r paragraph.Range) bool { return text[r.Start:r.End] == r.New })
		same += len(found) - len(ranges)
		rep.Hits += len(ranges)
		if e.rev != nil {
			if rep.Hits > maxTracked {
				return nil, tooManyTracked()
			}
			return para.Track(differing(text, ranges), e.rev), nil
		}
		return para.Replace(ranges), nil
	})
	switch {
	case same > 0:
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%d already said %q and stay as they are", same, clip(*op.Replace, 60)))
	case rep.Hits == 0:
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%q was not found; nothing was replaced", *op.Search))
	}
	if left != "" {
		rep.Warnings = append(rep.Warnings, "not replaced: "+left)
	}
	return rep, err
}

// found lists what find hits in text with what takes its place. Empty matches
// are none.
func found(ctx context.Context, find *matches.Expr, text, replace string, expand bool) ([]paragraph.Range, error) {
	expand = expand && strings.Contains(replace, "$")
	var out []paragraph.Range
	for m, err := range find.All(ctx, text) {
		if err != nil {
			return nil, err
		}
		with := replace
		if expand {
			with = string(find.ExpandString(nil, replace, text, m))
		}
		out = append(out, paragraph.Range{Start: m[0], End: m[1], New: with})
	}
	return out, nil
}

// formatTextArgs are the members of format_text.
type formatTextArgs struct {
	Search *string `json:"search" usage:"search" old:"find" jsonschema:"{ops}: text to find; it may span formatting but not paragraphs"`
	At     string  `json:"at" usage:"or at"`
	matchArgs
	Font
	trackingArgs
}

// formatText gives found text direct formatting.
func (e *editing) formatText(ctx context.Context, op formatTextArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if op.Font.empty() {
		return rep, formats.Errorf(formats.CodeInvalid, "say how to format the text: font_name, font_size, bold, italic, underline, strike, font_color or highlight_color")
	}
	if op.Search == nil && op.At == "" {
		return rep, formats.Errorf(formats.CodeInvalid, "search or at is required")
	}
	find, err := matches.Compile(`(?s).+`)
	if op.Search != nil && *op.Search != "" {
		find, err = op.finder(op.Search)
	}
	if err != nil {
		return rep, err
	}
	var bad error
	err = e.searched(ctx, op.At, op.Scope, func(p *part, n *node) ([]xmlscan.Splice, error) {
		ranges, err := found(ctx, find, p.paras[n.para].Text(), "", false)
		if err != nil {
			return nil, err
		}
		rep.Hits += len(ranges)
		switch {
		case len(ranges) > maxRestyled:
			return nil, formats.Errorf(formats.CodeTooLarge, "more than %d places were found in one paragraph, which is too many to format each; search for less, or for longer pieces of text", maxRestyled)
		case e.rev != nil && rep.Hits > maxTracked:
			return nil, tooManyTracked()
		}
		return p.paras[n.para].Restyle(ranges, func(rPr string) string {
			out, err := op.Font.apply(rPr, p.prefix)
			if err != nil {
				bad = err
			}
			if e.rev != nil {
				out = trackFormat(rPr, out, p.prefix, e.rev)
			}
			return out
		}), nil
	})
	if bad != nil {
		return rep, bad
	}
	if rep.Hits == 0 && err == nil {
		rep.Warnings = append(rep.Warnings, "the text was not found; nothing was formatted")
	}
	return rep, err
}

// trackFormat records in the run properties now what they were before
// (17.13.5.31).
func trackFormat(before, now, prefix string, rev *paragraph.Revision) string {
	p := runProps(now, prefix)
	if p.Get("rPrChange") != "" {
		return now // an older change says what was there before it
	}
	old := runProps(before, prefix)
	was := old.Optional()
	if was == "" {
		was = "<" + prefix + "rPr/>"
	}
	p.Set("rPrChange", "<"+prefix+"rPrChange"+rev.Attrs(prefix)+">"+was+"</"+prefix+"rPrChange>")
	return p.Optional()
}
