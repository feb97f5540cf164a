// Package placeholders finds texts that stand for what is still to be written,
// such as "TBD", "[Company name]" and "Lorem ipsum".
package placeholders

import (
	"regexp"
	"strings"

	"atelier/formats"
)

// Found is one such text.
type Found struct {
	Text     string
	Severity formats.Severity // low where it may be meant
}

// words are the texts in seven languages, those that are least in doubt first.
var words = []struct {
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
