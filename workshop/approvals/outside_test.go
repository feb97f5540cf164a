package approvals

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// M-14: what rules and grants mean for a tool of another program.
func TestM14ToolsOfOtherPrograms(t *testing.T) {
	wb := open(t, map[string]string{"a.txt": "a"})
	ctx := t.Context()
	gate := func(r *Run, o Outside, answer string) (asks int, err error) {
		g, err := r.Gate(ctx, Call{Tool: "crm__add", Outside: &o, Ask: func(_ context.Context, req Request) (Answer, error) {
			asks++
			require.Equal(t, "add", req.Outside.Tool)
			require.Equal(t, []Grant{{Tool: "crm__add", Path: anyPath, Of: o.Hash}}, req.Always)
			return Answer{Choice: answer}, nil
		}})
		require.NoError(t, err)
		if g == nil {
			return 0, nil
		}
		if err := g.Begin(ctx, false); err != nil {
			return asks, err
		}
		return asks, g.Whole(ctx)
	}
	acts, reads := Outside{Tool: "add", Hash: "1"}, Outside{Tool: "add", Hash: "1", ReadOnly: true}
	for _, c := range []struct {
		name    string
		rules   Policy
		what    Outside
		asks    int
		allowed bool
	}{
		{"acts", nil, acts, 1, false},
		{"reads", nil, reads, 0, true},
		{"everything is allowed in the draft", Policy{{Action: Allow}}, acts, 1, false},
		{"by a pattern of anything", Policy{{Tool: "*", Action: Allow}}, acts, 1, false},
		{"by name", Policy{{Tool: "crm__*", Action: Allow}}, acts, 0, true},
		{"another one", Policy{{Tool: "wiki__*", Action: Allow}}, acts, 1, false},
		{"denied", Policy{{Tool: "crm__*", Action: Deny}}, acts, 0, false},
		{"everything is denied", Policy{{Action: Deny}}, reads, 0, false},
		{"reading asks", Policy{{Tool: "crm__*", Action: Ask}}, reads, 1, false},
		{"asks before it is allowed", Policy{{Tool: "crm__add", Action: Ask}, {Tool: "crm__*", Action: Allow}}, acts, 1, false},
	} {
		asks, err := gate(NewRun(NewStore(wb, c.rules), time.Now), c.what, No)
		require.Equal(t, c.asks, asks, c.name)
		require.Equal(t, c.allowed, err == nil, c.name)
	}

	// Always counts for the tool as it was, in later runs too; another one takes its place.
	store := NewStore(wb, nil)
	asks, err := gate(NewRun(store, time.Now), acts, Always)
	require.NoError(t, err)
	require.Equal(t, 1, asks)
	asks, err = gate(NewRun(store, time.Now), acts, No)
	require.NoError(t, err)
	require.Zero(t, asks)
	asks, err = gate(NewRun(store, time.Now), Outside{Tool: "add", Hash: "2"}, Always)
	require.NoError(t, err)
	require.Equal(t, 1, asks)
	st, err := store.State(ctx)
	require.NoError(t, err)
	require.Len(t, st.Granted, 1)
	require.Equal(t, "2", st.Granted[0].Of)

	// Without a store the person is asked all the same, and for the run is for the run.
	run := NewRun(nil, time.Now)
	asks, err = gate(run, acts, ForRun)
	require.NoError(t, err)
	require.Equal(t, 1, asks)
	asks, err = gate(run, acts, No)
	require.NoError(t, err)
	require.Zero(t, asks)

	// What a run is told to allow comes behind the rules.
	allowed, err := Outsides([]string{"crm__*"})
	require.NoError(t, err)
	run = NewRun(nil, time.Now)
	run.Allow(allowed)
	asks, err = gate(run, acts, No)
	require.NoError(t, err)
	require.Zero(t, asks)
	run = NewRun(NewStore(open(t, nil), Policy{{Tool: "crm__*", Action: Deny}}), time.Now)
	run.Allow(allowed)
	_, err = gate(run, acts, No)
	require.Error(t, err)
	for _, bad := range []string{"*", "crm", "crm__[", ""} {
		_, err := Outsides([]string{bad})
		require.Error(t, err, bad)
	}
}
