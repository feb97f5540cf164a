package accounts

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster/clustertest"
)

// TestMove: the accounts of a machine are those of a cluster once, and then not changed
// where nobody would see it.
func TestMove(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	local, err := Open(home, Options{})
	require.NoError(t, err)
	ann, err := local.AddUser(ctx, "ann@example.org", "Ann")
	require.NoError(t, err)
	ben, err := local.AddUser(ctx, "ben@example.org", "")
	require.NoError(t, err)
	eve, err := local.AddUser(ctx, "eve@example.org", "")
	require.NoError(t, err)
	for id, owner := range map[string]string{"w1": ann.ID, "w2": eve.ID} {
		_, err = local.AddWorkspace(ctx, id, "Contracts", owner)
		require.NoError(t, err)
	}
	_, err = local.AddMember(ctx, "w1", ben.ID)
	require.NoError(t, err)
	ben, err = local.RevokeTokens(ctx, ben.ID)
	require.NoError(t, err)
	require.NoError(t, local.Close())

	s := share(t, clustertest.Start(t, 1).URLs()...)
	other, err := s.AddUser(ctx, "Eve@example.org", "another Eve")
	require.NoError(t, err)
	got, err := s.Move(ctx, home)
	require.NoError(t, err)
	require.Equal(t, Taken{Users: 2, Workspaces: 1, Members: 1, Refused: []User{eve}}, got)
	users, err := s.Users(ctx)
	require.NoError(t, err)
	require.Equal(t, []User{ann, ben, other}, users, "with the revocation")
	access, err := s.Access(ctx, "w1", ben.ID)
	require.NoError(t, err)
	require.True(t, access.IsMember)
	_, err = s.RemoveMember(ctx, "w1", ben.ID)
	require.NoError(t, err)

	got, err = s.Move(ctx, home)
	require.NoError(t, err)
	require.Zero(t, got, "once")
	access, err = s.Access(ctx, "w1", ben.ID)
	require.NoError(t, err)
	require.False(t, access.IsMember)
	_, err = Open(home, Options{})
	require.ErrorContains(t, err, "--cluster")
	require.NoError(t, os.Remove(filepath.Join(home, Moved)))
	local, err = Open(home, Options{})
	require.NoError(t, err)
	defer local.Close()
	users, err = local.Users(ctx)
	require.NoError(t, err)
	require.Len(t, users, 3, "nothing is lost")
	got, err = s.Move(ctx, t.TempDir())
	require.NoError(t, err)
	require.Zero(t, got, "a folder without accounts")
}
