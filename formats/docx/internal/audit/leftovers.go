package audit

import (
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/placeholders"
)

// maxPlaceholders is how many texts of one paragraph are reported.
const maxPlaceholders = 4

// placeholders looks for texts that were to be replaced.
func (a *auditing) placeholders(ctx context.Context) {
	a.each(ctx, func(i int, p *Para) {
		for _, f := range placeholders.Find(p.Text, maxPlaceholders) {
			a.find(kindPlaceholder, f.Severity, i, "a placeholder was left: "+quote(f.Text), "the text that it stands for")
		}
	})
}

// emptyRun is how many empty paragraphs in a row are taken for spacing.
const emptyRun = 3

// leftovers looks for tracked changes and comments, and for empty paragraphs that
// make room.
func (a *auditing) leftovers(ctx context.Context) {
	count, at := 0, []string{}
	for _, c := range a.Changes {
		count += c.Count
		at = append(at, a.at(c.Para))
	}
	if count > 0 {
		a.findAt(kindChange, formats.SeverityLow, at[0], fmt.Sprintf("%d tracked changes are neither accepted nor rejected, at %s", count, places(at)), "")
	}
	for _, c := range a.Comments {
		a.findAt(kindComment, formats.SeverityLow, c.At, "a comment is not resolved: "+quote(c.Text), "")
	}
	var runs []string
	length, total := 0, 0
	end := func(i int) {
		if length >= emptyRun {
			runs, total = append(runs, a.at(i-length)), total+length
		}
		length = 0
	}
	a.each(ctx, func(i int, p *Para) {
		if !p.Body || !p.Void || p.Label != "" || i > 0 && a.Paras[i-1].Group != p.Group {
			end(i)
		}
		if p.Body && p.Void && p.Label == "" {
			length++
		}
	})
	end(len(a.Paras))
	if len(runs) > 0 {
		a.findAt(kindSpacing, formats.SeverityLow, runs[0], fmt.Sprintf("%d empty paragraphs in rows of %d or more make room, from %s", total, emptyRun, places(runs)), "space before or after a paragraph, or a page break")
	}
}
