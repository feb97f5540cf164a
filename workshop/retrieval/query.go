package retrieval

import (
	"strings"

	"atelier/internal/quote"
)

const (
	maxQuery = 2000 // maximum number of bytes of a query that are used
	maxTerms = 32
)

// term is a word or phrase of a query, as an FTS5 expression.
type term struct {
	expr     string
	required bool // quoted, or with +
	common   bool // a word that every text has
}

// parseQuery splits a query into words, "quoted phrases" and prefix*. Every string
// is a valid query; characters outside words are ignored.
func parseQuery(query string) []term {
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	query = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "\x00", " ").Replace(query)
	var terms []term
	add := func(s string, quoted bool) {
		prefix := !quoted && strings.HasSuffix(s, "*")
		split, whole := indexText(s)
		if split == "" || len(terms) == maxTerms {
			return
		}
		expr := quote.Double(split)
		if prefix {
			expr += "*"
		}
		if whole != "" && !quoted { // parseRequest also matches parserequest
			expr = "(" + expr + " OR " + quote.Double(strings.Join(strings.Fields(split), "")) + ")"
		}
		terms = append(terms, term{expr, quoted, !quoted && commonWords[strings.ToLower(split)]})
	}
	for i, part := range strings.Split(query, `"`) {
		if i%2 == 1 {
			add(part, true)
			continue
		}
		for _, w := range strings.Fields(part) {
			add(w, false)
		}
	}
	return terms
}

// queryExpressions returns the FTS5 queries to try, the strictest first: all
// terms, then any term that is not in every text.
func queryExpressions(terms []term) []string {
	var all, required, rare []string
	for _, t := range terms {
		all = append(all, t.expr)
		switch {
		case t.required:
			required = append(required, t.expr)
		case !t.common:
			rare = append(rare, t.expr)
		}
	}
	if len(all) == 0 {
		return nil
	}
	if len(rare) > 0 || len(required) > 0 { // "the lease" is about the lease
		all = append(append([]string(nil), required...), rare...)
	}
	out := []string{strings.Join(all, " AND ")}
	if len(rare) < 2 && (len(rare) == 0 || len(required) == 0) {
		return out
	}
	loose := strings.Join(rare, " OR ")
	if len(required) > 0 {
		loose = strings.Join(required, " AND ") + " AND (" + loose + ")"
		out = append(out, loose, strings.Join(required, " AND "))
		return out
	}
	return append(out, loose)
}

// commonWords are words that are too frequent to find anything: they are left out
// of a query that has other words. The list has the most frequent words of
// English, Spanish, German and French.
var commonWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a about an and are as at be been but by can do does for from had has have how i if in into is it its me my no not of on or our
		should so than that the their them then there these they this to was we were what when where which who why will with would you your
		al como con de del el en es la las lo los más no o para pero por que qué se si sin su sus un una y ya
		aber als am auf aus bei das dass dem den der des die ein eine einer es für hat ich im ist mit nach nicht oder sich sie sind und von was wer wie wird wo zu zum zur
		au aux avec ce ces dans des du elle est et il je le les leur mais ne nous on ou où par pas pour qu que qui sa ses son sur une vous`) {
		m[w] = true
	}
	return m
}()
