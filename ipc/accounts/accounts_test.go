package accounts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/cluster/clustertest"
	"atelier/workshop"
)

var ctx = context.Background()

func open(t *testing.T, home string) *Store {
	t.Helper()
	s, err := Open(home, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// each runs a test with the accounts of a machine and with those of a cluster.
func each(t *testing.T, test func(*testing.T, *Store)) {
	t.Run("file", func(t *testing.T) { test(t, open(t, t.TempDir())) })
	t.Run("cluster", func(t *testing.T) { test(t, share(t, clustertest.Start(t, 1).URLs()...)) })
}

// TestH16Access: owners are members, members are added and removed, and
// everyone else gets the same refusal for an existing and for an unknown
// workspace.
func TestH16Access(t *testing.T) { each(t, testAccess) }

func testAccess(t *testing.T, s *Store) {
	ann, err := s.AddUser(ctx, "ann@example.org", "Ann")
	require.NoError(t, err)
	ben, err := s.AddUser(ctx, "ben@example.org", "")
	require.NoError(t, err)
	w, err := s.AddWorkspace(ctx, "w1", "Contracts", "ANN@example.org")
	require.NoError(t, err)
	require.Equal(t, ann.ID, w.OwnerID)

	access := func(ws, user string) (owner, member bool) {
		a, err := s.Access(ctx, ws, user)
		require.NoError(t, err)
		require.Equal(t, ws, a.WorkspaceID)
		require.Equal(t, user, a.UserID)
		return a.IsOwner, a.IsMember
	}
	is := func(ws, user string, wantOwner, wantMember bool) {
		t.Helper()
		owner, member := access(ws, user)
		assert.Equal(t, wantOwner, owner, "owner")
		assert.Equal(t, wantMember, member, "member")
	}
	is("w1", ann.ID, true, true)
	is("w1", ben.ID, false, false)
	is("nope", ann.ID, false, false)
	for range 2 {
		_, err = s.AddMember(ctx, "w1", "ben@example.org")
		require.NoError(t, err)
	}
	is("w1", ben.ID, false, true)
	members, err := s.Members(ctx, "w1")
	require.NoError(t, err)
	assert.Equal(t, []Member{{"w1", ann.ID, true}, {"w1", ben.ID, false}}, members)
	ws, err := s.WorkspacesOf(ctx, ben.ID)
	require.NoError(t, err)
	assert.Equal(t, []Workspace{w}, ws)
	_, err = s.RemoveMember(ctx, "w1", ben.ID)
	require.NoError(t, err)
	is("w1", ben.ID, false, false)
}

// TestH19Refusals: invalid administration gets an error that names it.
func TestH19Refusals(t *testing.T) { each(t, testRefusals) }

func testRefusals(t *testing.T, s *Store) {
	ann, err := s.AddUser(ctx, "ann@example.org", "")
	require.NoError(t, err)
	_, err = s.AddWorkspace(ctx, "w1", "Contracts", ann.ID)
	require.NoError(t, err)
	one := func(_ any, err error) error { return err }
	for name, c := range map[string]struct {
		err  error
		code workshop.FaultCode
		text string
	}{
		"no address":      {one(s.AddUser(ctx, "Ann", "")), workshop.Invalid, "e-mail address"},
		"address with <>": {one(s.AddUser(ctx, "Ann <x@example.org>", "")), workshop.Invalid, "e-mail address"},
		"taken":           {one(s.AddUser(ctx, "Ann@Example.org", "")), workshop.Conflict, "already"},
		"no name":         {one(s.AddWorkspace(ctx, "w2", " ", ann.ID)), workshop.Invalid, "name"},
		"no owner":        {one(s.AddWorkspace(ctx, "w2", "x", "eve@example.org")), workshop.NotFound, "eve@example.org"},
		"twice":           {one(s.AddWorkspace(ctx, "w1", "x", ann.ID)), workshop.Conflict, "already"},
		"no workspace":    {one(s.AddMember(ctx, "w9", ann.ID)), workshop.NotFound, "w9"},
		"no user":         {one(s.AddMember(ctx, "w1", "eve@example.org")), workshop.NotFound, "eve"},
		"owner stays":     {one(s.RemoveMember(ctx, "w1", ann.ID)), workshop.Invalid, "owns"},
		"members of none": {one(s.Members(ctx, "w9")), workshop.NotFound, "w9"},
		"user by id":      {one(s.User(ctx, "x")), workshop.NotFound, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, c.err)
			assert.True(t, workshop.IsFault(c.err, c.code), "%v", c.err)
			assert.ErrorContains(t, c.err, c.text)
		})
	}
}

// TestFileIsPrivate: other users of the machine cannot read the addresses.
func TestFileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files on Windows have the permissions of their folder")
	}
	home := t.TempDir()
	open(t, home)
	for _, name := range []string{File, File + "-wal"} {
		st, err := os.Stat(filepath.Join(home, name))
		require.NoError(t, err)
		assert.Zero(t, st.Mode().Perm()&0o077, name)
	}
}

// TestH19Processes: two processes write concurrently and nothing is lost.
func TestH19Processes(t *testing.T) {
	home := t.TempDir()
	stores := []*Store{open(t, home), open(t, home)}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			_, err := stores[i%2].AddUser(ctx, fmt.Sprintf("u%d@example.org", i), "")
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	users, err := stores[0].Users(ctx)
	require.NoError(t, err)
	require.Len(t, users, 40)
}
