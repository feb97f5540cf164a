package egress

import (
	"context"
	"database/sql"
)

// consented is the path of the row that every consent has, also one to no files.
const consented = ""

// Grant keeps that a party may be sent files.
func (l *Log) Grant(ctx context.Context, p Party, files []string) error {
	tx, err := l.db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return unwritten(err)
	}
	defer tx.Rollback() // nothing, after the commit
	if err := grant(tx, p, files); err != nil {
		return unwritten(err)
	}
	return unwritten(tx.Commit())
}

func grant(tx *sql.Tx, p Party, files []string) error {
	add, err := tx.Prepare(`INSERT OR IGNORE INTO grants VALUES (?,?,?,?)`)
	if err != nil {
		return err
	}
	defer add.Close()
	if _, err := add.Exec(p.Provider, p.Origin, p.Model, []byte(consented)); err != nil {
		return err
	}
	for _, f := range files {
		k := keyOf(f)
		if _, err := add.Exec(p.Provider, p.Origin, p.Model, k[:]); err != nil {
			return err
		}
	}
	return nil
}

// Granted returns the kept grants of a party.
func (l *Log) Granted(ctx context.Context, p Party) (*Grants, error) {
	rows, err := l.db.QueryContext(ctx, `SELECT path FROM grants WHERE provider=? AND origin=? AND model=?`, p.Provider, p.Origin, p.Model)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	g := &Grants{}
	var k []byte
	for rows.Next() {
		if err := rows.Scan(&k); err != nil {
			return nil, err
		}
		g.Add(p, nil)
		if len(k) == len(pathKey{}) {
			g.m[p][pathKey(k)] = struct{}{}
		}
	}
	return g, rows.Err()
}

// Revoke takes back what matches: empty fields of p match all. It says how many
// consents that were.
func (l *Log) Revoke(ctx context.Context, p Party) (n int, err error) {
	const where = ` FROM grants WHERE (?1='' OR provider=?1) AND (?2='' OR model=?2)`
	if err := l.db.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT DISTINCT provider, origin, model`+where+`)`, p.Provider, p.Model).Scan(&n); err != nil {
		return 0, err
	}
	_, err = l.db.ExecContext(ctx, `DELETE`+where, p.Provider, p.Model)
	return n, unwritten(err)
}
