package translate

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/sqlitedb"
	"atelier/workshop/translate/check"
)

// TestLedgerOfVersion1: a ledger that an earlier release made keeps its texts.
func TestLedgerOfVersion1(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job.db")
	db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "FULL"})
	require.NoError(t, err)
	_, err = db.Exec(`CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
		INSERT INTO meta VALUES ('version', 1), ('run', 3);
		CREATE TABLE unit (language TEXT NOT NULL, recipe TEXT NOT NULL, key BLOB NOT NULL, target TEXT NOT NULL, state TEXT NOT NULL,
			origin TEXT NOT NULL, flags TEXT NOT NULL, run INTEGER NOT NULL, PRIMARY KEY (language, recipe, key)) WITHOUT ROWID;`)
	require.NoError(t, err)
	a, b := key{1, 2, 3}, key{3, 2, 1}
	for _, row := range [][]any{
		{"es", "r", a[:], "uno", StateTranslated, FromMachine, "[]", 2},
		{"es", "r", b[:], "", StateLeft, FromMachine, `[{"code":"number","message":"m"}]`, 3},
		{"de", "r", a[:], "eins", StateTranslated, FromPerson, "[]", 3},
	} {
		_, err = db.Exec(`INSERT INTO unit VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, row...)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())

	for run := int64(4); run < 6; run++ {
		l, err := OpenLedger(ctx, path)
		require.NoError(t, err)
		require.Equal(t, run, l.run)
		got, err := l.units(ctx, "es", "r", []key{a, b, {9}})
		require.NoError(t, err)
		require.Equal(t, map[key]Unit{
			a: {Target: "uno", State: StateTranslated, Origin: FromMachine, run: 2},
			b: {State: StateLeft, Origin: FromMachine, Flags: []check.Finding{{Code: "number", Message: "m"}}, run: 3},
		}, got)
		got, err = l.units(ctx, "de", "r", []key{a, b})
		require.NoError(t, err)
		require.Equal(t, map[key]Unit{a: {Target: "eins", State: StateTranslated, Origin: FromPerson, run: 3}}, got)
		require.NoError(t, l.Close())
	}
}

// TestShortKeysMeet: of two texts with the same short key each lookup finds its own or
// nothing.
func TestShortKeysMeet(t *testing.T) {
	l, err := OpenLedger(ctx, filepath.Join(t.TempDir(), "job.db"))
	require.NoError(t, err)
	defer l.Close()
	a, b := key{1, 15: 1}, key{1, 15: 2}
	require.NoError(t, l.put(ctx, "es", "r", []key{a}, map[key]Unit{a: {Target: "a", State: StateTranslated}}))
	require.NoError(t, l.put(ctx, "es", "r", []key{b}, map[key]Unit{b: {Target: "b", State: StateTranslated}}))
	got, err := l.units(ctx, "es", "r", []key{a, b})
	require.NoError(t, err)
	require.Equal(t, map[key]Unit{b: {Target: "b", State: StateTranslated, run: 1}}, got)
}
