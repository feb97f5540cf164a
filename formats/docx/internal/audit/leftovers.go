package audit

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"atelier/formats"
)

// leftWords are texts that stand for what is still to be written. Those with a
// severity of low may be meant.
var leftWords = []struct {
	is       *regexp.Regexp
	severity formats.Severity
}{
	{regexp.MustCompile(`\[\s*[●•∙⚫■*]+\s*\]`), formats.SeverityHigh},
	{regexp.MustCompile(`(?i)lorem ipsum`), formats.SeverityHigh},
	{regexp.MustCompile(`(?i)[\[<{«](?:please )?(?:insert|enter|add|fill in|complete|choose|specify|bitte|einfügen|eintragen|insérer|à compléter|insertar|completar|inserire|inserir|invullen)\b[^\]>}»\n]{0,80}[\]>}»]`), formats.SeverityHigh},
	{regexp.MustCompile(`(?i)\[(?:your |the |customer |company |client |project |party |full )?(?:name|date|amount|address|number|title|email|company|city|country|price|datum|betrag|nom|montant|fecha|nombre|importe)\]`), formats.SeverityMedium},
	{regexp.MustCompile(`\[(?:_{2,}|\.{3,}|…+|\?+|-{2,})\]`), formats.SeverityMedium},
	{regexp.MustCompile(`\b(?:TBD|TBC|TBA|TODO|FIXME|TKTK)\b`), formats.SeverityMedium},
	{regexp.MustCompile(`(?i)\b(?:to be (?:determined|confirmed|completed|defined|agreed)|noch (?:zu klären|offen|festzulegen))\b[\])]`), formats.SeverityMedium},
	{regexp.MustCompile(`(?:^|[^\pL\pN])(?:X{3,}|x{4,})(?:$|[^\pL\pN])`), formats.SeverityMedium},
	{regexp.MustCompile(`\b(?:XX?|xx)[./-](?:XX?|xx)[./-](?:XXXX|xxxx|20\d\d|20[xX]{2})\b`), formats.SeverityMedium},
	{regexp.MustCompile(`\?{3,}`), formats.SeverityLow},
	{regexp.MustCompile(`(?i)^(?:click (?:or tap )?(?:here )?to (?:enter|add)|klicken oder tippen sie hier|cliquez ou appuyez ici|haga clic o pulse aquí)`), formats.SeverityLow},
}

// maxPlaceholders is how many texts of one paragraph are reported.
const maxPlaceholders = 4

// placeholders looks for texts that were to be replaced.
func (a *auditing) placeholders(ctx context.Context) {
	a.each(ctx, func(i int, p *Para) {
		if !mayHold(p.Text) {
			return
		}
		n := 0
		for _, w := range leftWords {
			for _, at := range w.is.FindAllStringIndex(p.Text, maxPlaceholders-n) {
				n++
				a.find(kindPlaceholder, w.severity, i, "a placeholder was left: "+quote(strings.TrimSpace(p.Text[at[0]:at[1]])), "the text that it stands for")
			}
			if n >= maxPlaceholders {
				return
			}
		}
	})
}

// mayHold reports, faster than the expressions, whether a text may have a
// placeholder.
func mayHold(s string) bool {
	if strings.ContainsAny(s, "[<{«?") {
		return true
	}
	for _, w := range []string{"TB", "TODO", "FIXME", "TKTK", "XX", "xx", "orem", "OREM", "lick", "licken", "liquez", "aga clic"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
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
