package egress

import (
	"cmp"
	"context"
	"slices"
)

// Consent is what was granted to a party.
type Consent struct {
	Party
	Files int // to how many; names of files that were removed count too
}

// Consents returns the grants that are kept, by party.
func (l *Log) Consents(ctx context.Context) ([]Consent, error) {
	rows, err := l.db.QueryContext(ctx, `SELECT provider, origin, model, count(*)-1 FROM grants GROUP BY provider, origin, model ORDER BY provider, origin, model`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Consent
	for rows.Next() {
		var c Consent
		if err := rows.Scan(&c.Provider, &c.Origin, &c.Model, &c.Files); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}

// Consents lists the grants, by party.
func (g *Grants) Consents() []Consent {
	var out []Consent
	for p, files := range g.m {
		out = append(out, Consent{p, len(files)})
	}
	slices.SortFunc(out, func(a, b Consent) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Model, b.Model))
	})
	return out
}
