// Package placeholders finds texts that stand for what is still to be written,
// such as "TBD", "[Company name]" and "Lorem ipsum".
package placeholders

import (
	"strings"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

// Found is one such text.
type Found struct {
	Text     string
	Severity formats.Severity // low where it may be meant
}

// words are the texts in seven languages, those that are least in doubt first.
var words = []struct {
	is       *lazyregexp.Regexp
	severity formats.Severity
}{
	{lazyregexp.New(`\[\s*[●•∙⚫■*]+\s*\]`), formats.SeverityHigh},
	{lazyregexp.New(`(?i)lorem ipsum`), formats.SeverityHigh},
	{lazyregexp.New(`(?i)[\[<{«](?:please )?(?:insert|enter|add|fill in|complete|choose|specify|bitte|einfügen|eintragen|insérer|à compléter|insertar|completar|inserire|inserir|invullen)\b[^\]>}»\n]{0,80}[\]>}»]`), formats.SeverityHigh},
	{lazyregexp.New(`(?i)\[(?:your |the |customer |company |client |project |party |full )?(?:name|date|amount|address|number|title|email|company|city|country|price|datum|betrag|nom|montant|fecha|nombre|importe)\]`), formats.SeverityMedium},
	{lazyregexp.New(`\[(?:_{2,}|\.{3,}|…+|\?+|-{2,})\]`), formats.SeverityMedium},
	{lazyregexp.New(`\b(?:TBD|TBC|TBA|TODO|FIXME|TKTK)\b`), formats.SeverityMedium},
	{lazyregexp.New(`(?i)\b(?:to be (?:determined|confirmed|completed|defined|agreed)|noch (?:zu klären|offen|festzulegen))\b[\])]`), formats.SeverityMedium},
	{lazyregexp.New(`(?:^|[^\pL\pN])(?:X{3,}|x{4,})(?:$|[^\pL\pN])`), formats.SeverityMedium},
	{lazyregexp.New(`\b(?:XX?|xx)[./-](?:XX?|xx)[./-](?:XXXX|xxxx|20\d\d|20[xX]{2})\b`), formats.SeverityMedium},
	{lazyregexp.New(`\?{3,}`), formats.SeverityLow},
	{lazyregexp.New(`(?i)^(?:click (?:or tap )?(?:here )?to (?:enter|add)|klicken oder tippen sie hier|cliquez ou appuyez ici|haga clic o pulse aquí)`), formats.SeverityLow},
}

// Find returns at most that many placeholders of a text.
func Find(text string, most int) []Found {
	if !mayHold(text) {
		return nil
	}
	var out []Found
	for _, w := range words {
		for _, at := range w.is.FindAllStringIndex(text, most-len(out)) {
			out = append(out, Found{strings.TrimSpace(text[at[0]:at[1]]), w.severity})
		}
		if len(out) >= most {
			return out
		}
	}
	return out
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
