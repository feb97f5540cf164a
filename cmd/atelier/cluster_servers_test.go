package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/internal/replica/owner"
	"atelier/llm/relay"
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

// Commands that only look make nothing in a cluster.
func TestClusterCommandsMakeNothing(t *testing.T) {
	campaign.Slow(t)
	nats := clustertest.Start(t, 1)
	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: nats.URLs(), Name: "test"})
	require.NoError(t, err)
	defer c.Close()
	id := "0190f3a2-7b1c-7d3e-9a54-2f6f0c3b8d11"
	for _, args := range [][]string{{"status"}, {"status", "--json"}, {"contents", "status"}, {"texts"}, {"cancel", "4f1d2c9a7b30"}, {"drain", "nobody"}, {"move", id, "nobody"}} {
		out, err := exec.Command(program(t), append(append([]string{"cluster"}, args...), "--home", t.TempDir(), "--cluster", nats.URL(0))...).CombinedOutput()
		if strings.Contains("cancel drain move", args[0]) {
			require.Error(t, err, "%v", args)
		} else {
			require.NoError(t, err, "%v: %s", args, out)
		}
		for info := range c.JetStream().ListStreams(t.Context()).Info() {
			require.Fail(t, "a command made a stream", "%v: %s", args, info.Config.Name)
		}
	}
	_, err = relay.Open(t.Context(), c, relay.Options{})
	require.NoError(t, err)
	n := 0
	for range c.JetStream().ListStreams(t.Context()).Info() {
		n++
	}
	require.Equal(t, 3, n, "a worker or a translation makes them")
}
