package crashtest

import (
	"context"
	"os"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
)

// TestMain lets the test binary act as the child.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "-child" {
		if err := Child(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// K-01, K-05, K-06, K-10, K-11: a process is killed at random moments during
// a mix of all operations. The next process finds the state either before or
// after the operation in flight, and nothing else is lost, changed or left
// over.
func TestK01Kills(t *testing.T) {
	campaign.Slow(t)
	kills := campaign.Of(250, 1000)
	self, err := os.Executable()
	require.NoError(t, err)
	report, err := Run(context.Background(), Options{Kills: kills, Seed: 7, Child: []string{self, "-child"}, Dir: t.TempDir()})
	t.Log(report)
	require.NoError(t, err)
	require.GreaterOrEqual(t, report.Kills-report.Where["between operations"], kills/4, "too few kills landed inside an operation")
	require.Positive(t, report.Repaired, "no kill left anything to repair: this tests nothing")
}

// The check detects what a broken workbench would show.
func TestCheckFindsLosses(t *testing.T) {
	s := newState(tree{"a": "1"})
	ok := found{disk: tree{"a": "1"}, draft: tree{"a": "1"}}
	require.NoError(t, s.differs(ok))
	for name, f := range map[string]found{
		"published": {disk: tree{"a": "2"}, draft: tree{"a": "1"}},
		"lost":      {disk: tree{}, draft: tree{"a": "1"}},
		"draft":     {disk: tree{"a": "1"}, draft: tree{"a": "1", "b": "1"}},
		"open":      {disk: tree{"a": "1"}, draft: tree{"a": "1"}, hasDraft: true},
		"said":      {disk: tree{"a": "1"}, draft: tree{"a": "1"}, said: []string{"u"}},
		"kept":      {disk: tree{"a": "1"}, draft: tree{"a": "1"}, checkpoints: []string{"c"}},
	} {
		require.Error(t, s.differs(f), name)
	}
}
