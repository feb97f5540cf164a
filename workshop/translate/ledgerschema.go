package translate

// ledgerSchema is what job.db holds. A database of another version is refused
// by name: the folder was made by another release.
const (
	ledgerVersion = 1
	ledgerSchema  = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

-- Each text once per language and recipe: what was paid for.
CREATE TABLE IF NOT EXISTS unit (
	language TEXT NOT NULL,
	recipe   TEXT NOT NULL,
	key      BLOB NOT NULL,          -- of text and limit
	target   TEXT NOT NULL,          -- '' when left
	state    TEXT NOT NULL,          -- see State
	origin   TEXT NOT NULL,
	flags    TEXT NOT NULL,          -- JSON list of Finding
	run      INTEGER NOT NULL,       -- that made it
	PRIMARY KEY (language, recipe, key)
) WITHOUT ROWID;

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
