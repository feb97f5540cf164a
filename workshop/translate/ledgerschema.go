package translate

import (
	"context"
	"database/sql"
)

// ledgerSchema is what job.db holds. A database of another version is refused
// by name: the folder was made by another release.
const (
	ledgerVersion = 2
	ledgerSchema  = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

-- Each text once per language and recipe: what was paid for. Rows are in the order of
-- translation, so that adding one touches the last page; only the small index is in
-- no order.
CREATE TABLE IF NOT EXISTS making (
	id       INTEGER PRIMARY KEY,
	language TEXT NOT NULL,
	recipe   TEXT NOT NULL,
	UNIQUE (language, recipe)
);

CREATE TABLE IF NOT EXISTS made (
	id     INTEGER PRIMARY KEY,
	short  INTEGER NOT NULL,       -- see shortKey
	key    BLOB NOT NULL,          -- of text and limit
	making INTEGER NOT NULL REFERENCES making (id),
	target TEXT NOT NULL,          -- '' when left
	state  TEXT NOT NULL,          -- see State
	origin TEXT NOT NULL,
	flags  TEXT NOT NULL,          -- JSON list of Finding
	run    INTEGER NOT NULL        -- that made it
);
CREATE UNIQUE INDEX IF NOT EXISTS made_short ON made (short);

CREATE TABLE IF NOT EXISTS document (
	id          INTEGER PRIMARY KEY,
	output      TEXT NOT NULL UNIQUE, -- below the output folder, '/'-separated
	input       TEXT NOT NULL,
	language    TEXT NOT NULL,
	source_hash TEXT NOT NULL,
	recipe      TEXT NOT NULL,
	output_hash TEXT NOT NULL,
	before_hash TEXT NOT NULL,        -- of what output was before it was last written
	status      TEXT NOT NULL,        -- writing, ok, flagged
	again       INTEGER NOT NULL      -- segments that the next run asks for again
);

CREATE TABLE IF NOT EXISTS segment (
	document   INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
	position   INTEGER NOT NULL,
	id         TEXT NOT NULL,
	place      TEXT NOT NULL,
	part       TEXT NOT NULL,
	notes      TEXT NOT NULL,         -- JSON list
	max_length INTEGER NOT NULL,
	source     TEXT NOT NULL,
	target     TEXT NOT NULL,
	state      TEXT NOT NULL,
	origin     TEXT NOT NULL,
	flags      TEXT NOT NULL,
	PRIMARY KEY (document, position)
) WITHOUT ROWID;
`
)

// fromVersion1 brings the texts of a ledger of version 1 into the tables of this one.
// Version 1 had them in the order of their keys.
func fromVersion1(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `SELECT language, recipe, key, target, state, origin, flags, run FROM unit`)
	if err != nil {
		return err
	}
	defer rows.Close()
	st, err := tx.PrepareContext(ctx, putUnit)
	if err != nil {
		return err
	}
	defer st.Close()
	makings := map[[2]string]int64{}
	for rows.Next() {
		var m [2]string
		var b []byte
		var target, state, origin, flags string
		var run int64
		if err := rows.Scan(&m[0], &m[1], &b, &target, &state, &origin, &flags, &run); err != nil {
			return err
		}
		if makings[m] == 0 {
			if makings[m], err = addMaking(ctx, tx, m[0], m[1]); err != nil {
				return err
			}
		}
		if _, err := st.ExecContext(ctx, shortKey(makings[m], key(b)), b, makings[m], target, state, origin, flags, run); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := rows.Close(); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DROP TABLE unit; UPDATE meta SET value = 2 WHERE name = 'version'`)
	return err
}
