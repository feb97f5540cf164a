package sharedtexts_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/workshop/translate"
	"atelier/workshop/translate/sharedtexts"
)

func connect(t testing.TB, urls ...string) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: urls, Name: t.Name()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func join(t testing.TB, c *cluster.Cluster, job string, session time.Duration) *sharedtexts.Texts {
	t.Helper()
	s, err := sharedtexts.Join(t.Context(), c, sharedtexts.Options{Job: job, Process: t.Name(), Session: session})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func textKey(text string) (k translate.TextKey) {
	h := sha256.Sum256([]byte(text))
	copy(k[:], h[:])
	return k
}

func never(translate.SharedUnit) bool  { return false }
func always(translate.SharedUnit) bool { return true }

func TestClaims(t *testing.T) {
	t.Parallel()
	servers := clustertest.Start(t, 1)
	link := servers.Link(0)
	const session = time.Second
	a := join(t, connect(t, "nats://"+link.Addr()), "j1", session)
	b := join(t, connect(t, servers.URLs()...), "j2", session)
	made := translate.Made{Language: "en", Recipe: "r"}
	one, two := textKey("one"), textKey("two")
	unit := translate.SharedUnit{Target: "uno", State: translate.StateTranslated, Origin: translate.FromMachine, Job: "j1"}

	mine, others, err := a.Claim(t.Context(), made, []translate.TextKey{one}, never)
	require.NoError(t, err)
	require.Equal(t, []translate.TextKey{one}, mine)
	require.Empty(t, others)
	mine, others, err = b.Claim(t.Context(), made, []translate.TextKey{one, two}, never)
	require.NoError(t, err)
	require.Equal(t, []translate.TextKey{two}, mine)
	require.Equal(t, []translate.TextKey{one}, others)
	require.NoError(t, b.Release(t.Context(), made, mine))

	waited := make(chan error, 1)
	go func() { waited <- b.Wait(t.Context(), made, others) }()
	select {
	case <-waited:
		t.Fatal("it did not wait for the claim")
	case <-time.After(2 * session): // the session of a is renewed
	}
	instead, err := a.Put(t.Context(), made, map[translate.TextKey]translate.SharedUnit{one: unit})
	require.NoError(t, err)
	require.Empty(t, instead)
	require.NoError(t, <-waited)
	found, err := b.Look(t.Context(), made, []translate.TextKey{one, two})
	require.NoError(t, err)
	require.Equal(t, map[translate.TextKey]translate.SharedUnit{one: unit}, found)

	// Another recipe is another text.
	found, err = b.Look(t.Context(), translate.Made{Language: "en", Recipe: "s"}, []translate.TextKey{one})
	require.NoError(t, err)
	require.Empty(t, found)

	// A text that has a unit is claimed only to be asked for again, and keeps the unit if
	// nothing comes of it.
	mine, _, err = b.Claim(t.Context(), made, []translate.TextKey{one}, never)
	require.NoError(t, err)
	require.Empty(t, mine)
	mine, _, err = b.Claim(t.Context(), made, []translate.TextKey{one}, always)
	require.NoError(t, err)
	require.Len(t, mine, 1)
	require.NoError(t, b.Release(t.Context(), made, mine))
	found, err = a.Look(t.Context(), made, []translate.TextKey{one})
	require.NoError(t, err)
	require.Equal(t, unit, found[one])
}

// A process that is cut off loses its claims to others. What it paid for meanwhile is not
// lost if it comes first, and does not replace what others put if it comes second.
func TestClaimsOfACutOffProcess(t *testing.T) {
	t.Parallel()
	servers := clustertest.Start(t, 1)
	link := servers.Link(0)
	const session = time.Second
	a := join(t, connect(t, "nats://"+link.Addr()), "j", session)
	b := join(t, connect(t, servers.URLs()...), "j", session)
	made := translate.Made{Language: "en", Recipe: "r"}
	first, second := textKey("first"), textKey("second")
	keys := []translate.TextKey{first, second}
	mine, _, err := a.Claim(t.Context(), made, keys, never)
	require.NoError(t, err)
	require.Len(t, mine, 2)

	link.Cut()
	require.NoError(t, b.Wait(t.Context(), made, keys))
	mine, _, err = b.Claim(t.Context(), made, keys, never)
	require.NoError(t, err)
	require.Len(t, mine, 2)
	by := func(who string) translate.SharedUnit {
		return translate.SharedUnit{Target: who, State: translate.StateTranslated, Origin: translate.FromMachine, Job: "j"}
	}
	_, err = b.Put(t.Context(), made, map[translate.TextKey]translate.SharedUnit{first: by("b")})
	require.NoError(t, err)
	link.Mend()
	instead, err := a.Put(t.Context(), made, map[translate.TextKey]translate.SharedUnit{first: by("a"), second: by("a")})
	require.NoError(t, err)
	require.Equal(t, map[translate.TextKey]translate.SharedUnit{first: by("b")}, instead)
	instead, err = b.Put(t.Context(), made, map[translate.TextKey]translate.SharedUnit{second: by("b")})
	require.NoError(t, err)
	require.Equal(t, map[translate.TextKey]translate.SharedUnit{second: by("a")}, instead)
	// a begins another session by itself.
	mine, _, err = a.Claim(t.Context(), made, []translate.TextKey{textKey("third")}, never)
	require.NoError(t, err)
	require.Len(t, mine, 1)
}
