package httpapi

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/ipc/accounts"
)

const answering = `
-- model-1 --
{"text":"Done."}
-- model-2 --
{"text":"Done again."}
`

// TestLimitOfUser: the limit of a user holds over two servers, each with its own workspace
// and engine, and is told as such; what a run took is counted as the workspace counts it.
func TestLimitOfUser(t *testing.T) {
	n := clustertest.Start(t, 1)
	share := func() *accounts.Store {
		c, err := cluster.Connect(t.Context(), cluster.Options{URLs: n.URLs(), Name: t.Name()})
		require.NoError(t, err)
		t.Cleanup(c.Close)
		s, err := accounts.Share(t.Context(), c, accounts.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		return s
	}
	first, second := share(), share()
	ben, err := first.AddUser(t.Context(), "ben@example.org", "")
	require.NoError(t, err)
	_, err = first.SetLimit(t.Context(), ben.ID, 1_000_000)
	require.NoError(t, err)
	serve := func(s *accounts.Store) *rig {
		r := newModelRig(t, answering, func(o *Options) { o.Accounts = s })
		r.accounts = s
		r.annToken = r.token(ben)
		_, err := s.AddWorkspace(t.Context(), r.ws, "W", ben.ID)
		require.NoError(t, err)
		return r
	}
	a, b := serve(first), serve(second)
	end := func(r *rig) sse {
		events := r.follow(r.startRun("do it"), "", nil)
		return events[len(events)-1]
	}
	require.Equal(t, "done", end(a).name)
	spent, err := second.Spending(t.Context(), ben.ID)
	require.NoError(t, err)
	require.Positive(t, spent.Tokens)
	var usage struct {
		Result struct {
			Totals struct {
				Input  int64 `json:"input_tokens"`
				Output int64 `json:"output_tokens"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(a.request("GET", "/api/v1/workspaces/"+a.ws+"/usage", "").Body), &usage))
	require.Equal(t, usage.Result.Totals.Input+usage.Result.Totals.Output, spent.Tokens)
	require.Equal(t, "done", end(b).name, "there is enough left")
	twice, err := first.Spending(t.Context(), ben.ID)
	require.NoError(t, err)
	require.Greater(t, twice.Tokens, spent.Tokens)

	_, err = first.SetLimit(t.Context(), ben.ID, twice.Tokens+10)
	require.NoError(t, err)
	time.Sleep(2 * accounts.Staleness)
	for _, r := range []*rig{a, b} {
		last := end(r)
		require.Equal(t, eventError, last.name)
		assert.Equal(t, "BUDGET_EXCEEDED", last.data.Data["code"], last.data.Data)
		assert.Contains(t, last.data.Data["error"], "tokens in")
	}
	after, err := second.Spending(t.Context(), ben.ID)
	require.NoError(t, err)
	require.Equal(t, twice.Tokens, after.Tokens, "nothing was sent")
}
