package consent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"slices"

	"atelier/engine/egress"
)

// pathKey is the beginning of the SHA-256 of a path: logs and grants have to hold no
// more than is needed.
type pathKey [16]byte

func pathKeyOf(path string) pathKey {
	sum := sha256.Sum256([]byte(path))
	return pathKey(sum[:16])
}

// grants are the files that parties may be sent. The zero value is empty; it is not
// safe for concurrent use.
type grants struct {
	m map[Party]map[pathKey]struct{}
}

// add grants files to a party.
func (g *grants) add(p Party, files []string) {
	if g.m == nil {
		g.m = map[Party]map[pathKey]struct{}{}
	}
	if g.m[p] == nil {
		g.m[p] = map[pathKey]struct{}{}
	}
	for _, f := range files {
		g.m[p][pathKeyOf(f)] = struct{}{}
	}
}

// any reports whether anything was granted to a party, be it for no files.
func (g *grants) any(p Party) bool { return g.m[p] != nil }

// missing returns the files of a list that were not granted to a party.
func (g *grants) missing(p Party, files []string) []string {
	var out []string
	for _, f := range files {
		if _, ok := g.m[p][pathKeyOf(f)]; !ok {
			out = append(out, f)
		}
	}
	return out
}

// merge adds the grants of another.
func (g *grants) merge(o *grants) {
	for p, set := range o.m {
		g.add(p, nil)
		for k := range set {
			g.m[p][k] = struct{}{}
		}
	}
}

// revoke removes the grants to the parties that p matches, and returns how many
// parties these were.
func (g *grants) revoke(p Party) (n int) {
	for q := range g.m {
		if (p.Provider == "" || p.Provider == q.Provider) && (p.Model == "" || p.Model == q.Model) {
			delete(g.m, q)
			n++
		}
	}
	return n
}

// list returns the grants by party.
func (g *grants) list() []Granted {
	var out []Granted
	for p, files := range g.m {
		out = append(out, Granted{Party: p, Files: len(files)})
	}
	slices.SortFunc(out, func(a, b Granted) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Model, b.Model))
	})
	return out
}

// consentPath is the path of the row that every stored consent has, also one to no
// files.
const consentPath = ""

// storeGrants stores in the database of a log that a party may be sent files.
func storeGrants(ctx context.Context, l *egress.Log, p Party, files []string) error {
	return l.Update(ctx, func(tx *sql.Tx) error {
		add, err := tx.Prepare(`INSERT OR IGNORE INTO grants VALUES (?,?,?,?)`)
		if err != nil {
			return err
		}
		defer add.Close()
		if _, err := add.Exec(p.Provider, p.Origin, p.Model, []byte(consentPath)); err != nil {
			return err
		}
		for _, f := range files {
			k := pathKeyOf(f)
			if _, err := add.Exec(p.Provider, p.Origin, p.Model, k[:]); err != nil {
				return err
			}
		}
		return nil
	})
}

// loadGrants returns the stored grants of a party.
func loadGrants(ctx context.Context, l *egress.Log, p Party) (*grants, error) {
	rows, err := l.Query(ctx, `SELECT path FROM grants WHERE provider=? AND origin=? AND model=?`, p.Provider, p.Origin, p.Model)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	g := &grants{}
	var k []byte
	for rows.Next() {
		if err := rows.Scan(&k); err != nil {
			return nil, err
		}
		g.add(p, nil)
		if len(k) == len(pathKey{}) {
			g.m[p][pathKey(k)] = struct{}{}
		}
	}
	return g, rows.Err()
}

// listGrants returns the stored grants by party.
func listGrants(ctx context.Context, l *egress.Log) ([]Granted, error) {
	rows, err := l.Query(ctx, `SELECT provider, origin, model, count(*)-1 FROM grants GROUP BY provider, origin, model ORDER BY provider, origin, model`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Granted
	for rows.Next() {
		g := Granted{Persisted: true}
		if err := rows.Scan(&g.Provider, &g.Origin, &g.Model, &g.Files); err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, rows.Err()
}

// revokeGrants removes the stored grants to the parties that p matches, and returns
// how many parties these were.
func revokeGrants(ctx context.Context, l *egress.Log, p Party) (n int, err error) {
	const where = ` FROM grants WHERE (?1='' OR provider=?1) AND (?2='' OR model=?2)`
	err = l.Update(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRow(`SELECT count(*) FROM (SELECT DISTINCT provider, origin, model`+where+`)`, p.Provider, p.Model).Scan(&n); err != nil {
			return err
		}
		_, err := tx.Exec(`DELETE`+where, p.Provider, p.Model)
		return err
	})
	return n, err
}
