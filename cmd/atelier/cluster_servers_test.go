package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/replica/owner"
)

// A server that was started again is found by its address, though the one that died is
// still listed.
func TestServersByAddress(t *testing.T) {
	list := []cluster.Holder{
		{Owner: "b.old", Address: "http://10.0.0.12:3000"}, {Owner: "a.1", Address: "http://10.0.0.11:3000"}, {Owner: "b.new", Address: "http://10.0.0.12:3000"},
	}
	found, err := named(list, "10.0.0.12:3000")
	require.NoError(t, err)
	var asked []string
	got, err := order(found, func(name string) error {
		asked = append(asked, name)
		if name == "b.old" {
			return fmt.Errorf("%w %s", owner.ErrNoServer, name)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, "b.new", got.Owner)
	require.Equal(t, []string{"b.old", "b.new"}, asked)

	refused := errors.New("it is full")
	asked = nil
	_, err = order(found, func(name string) error { asked = append(asked, name); return refused })
	require.ErrorIs(t, err, refused)
	require.Len(t, asked, 1, "another is not asked when one refuses")
	_, err = order(found, func(string) error { return owner.ErrNoServer })
	require.ErrorIs(t, err, owner.ErrNoServer)

	found, err = named(list, "a.1")
	require.NoError(t, err)
	require.Equal(t, list[1:2], found)
	_, err = named(list, "10.0.0.13:3000")
	require.ErrorContains(t, err, "there are: a.1, b.new, b.old")
	_, err = named(nil, "a.1")
	require.ErrorContains(t, err, "no server of atelier http takes workspaces")
}
