package httpapi

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
)

// TestSessionsOfSeveralServers: a session that one server makes counts on the other until it is
// ended there or expires; the oldest of a user ends for another; a cluster that does not answer
// is an error and not a session that has ended.
func TestSessionsOfSeveralServers(t *testing.T) {
	nats := clustertest.Start(t, 1)
	now := time.Now()
	server := func() (*sessions, *cluster.Cluster) {
		c, err := cluster.Connect(t.Context(), cluster.Options{URLs: nats.URLs(), Timeout: time.Second})
		require.NoError(t, err)
		t.Cleanup(c.Close)
		shared, err := OpenSessions(t.Context(), c)
		require.NoError(t, err)
		return newSessions(func() time.Time { return now }, shared), c
	}
	one, _ := server()
	two, conn := server()
	ann, bob := uuid.NewString(), uuid.NewString()
	add := func(user string) string {
		now = now.Add(time.Second)
		cookie, err := one.add(t.Context(), tokenClaims{user: user, issued: now, expires: now.Add(time.Hour)})
		require.NoError(t, err)
		return cookie
	}
	find := func(l *sessions, cookie string) *session {
		of, err := l.find(t.Context(), cookie)
		require.NoError(t, err)
		return of
	}
	first := add(ann)
	of := find(two, first)
	require.Equal(t, ann, of.claims.user)
	require.WithinDuration(t, now.Add(time.Hour), of.claims.expires, time.Millisecond)
	require.Same(t, of, find(two, first))
	for _, wrong := range []string{"", first[:len(first)-1] + "g", bob + first[36:], "*." + first[37:], ann + ".", first[37:]} {
		require.Nil(t, find(two, wrong), wrong)
	}

	other := add(bob)
	var cookies []string
	for range sessionsOfUser {
		cookies = append(cookies, add(ann))
	}
	require.Nil(t, find(two, first), "the oldest of a user ends for another")
	require.Error(t, of.ended.Err(), "with its connections")
	require.NotNil(t, find(two, cookies[0]))
	require.NotNil(t, find(two, other))

	here := find(one, cookies[3])
	require.NoError(t, two.end(t.Context(), cookies[3]))
	require.False(t, one.still(t.Context(), here))
	require.Nil(t, find(one, cookies[3]))
	require.True(t, one.still(t.Context(), find(one, cookies[4])))

	now = now.Add(2 * time.Hour)
	require.Nil(t, find(one, cookies[4]), "it has expired")

	kept := add(bob)
	conn.Close()
	_, err := two.find(t.Context(), kept)
	require.Error(t, err)
	require.True(t, two.still(t.Context(), find(one, kept)))
	require.NotNil(t, find(one, kept))
}
