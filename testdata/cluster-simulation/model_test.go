package main

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var usual = Parameters{WriteCPU: 4, ReadCPU: 0.4, NatsCPU: 1, RenewCPU: 0.3, Serial: 1, Delay: 4, PassCPU: 0.3, Restore: 100, RestoreM: 10}

// TestSeed: a seed has one result, and another seed another one.
func TestSeed(t *testing.T) {
	s := Setup{Servers: 5, Workspaces: 10, Lease: 5000, Writes: 1, Reads: 5, Cores: 2, Seconds: 20, Dies: true, Seed: 1}
	one := Simulate(usual, s)
	require.Equal(t, one, Simulate(usual, s))
	s.Seed = 2
	require.NotEqual(t, one, Simulate(usual, s))
}

// TestQueue: the wait for one server with a fixed time of service is that of the formula of
// Pollaczek and Khinchine.
func TestQueue(t *testing.T) {
	const service = 1.0
	for _, load := range []float64{0.3, 0.6, 0.9} {
		q, r := newQueue(1), rand.New(rand.NewPCG(1, 1))
		now, waited := 0.0, 0.0
		const jobs = 400_000
		for range jobs {
			now += r.ExpFloat64() * service / load
			waited += q.serve(now, service) - service - now
		}
		require.InEpsilon(t, load*service/(2*(1-load)), waited/jobs, 0.05, "load %v", load)
	}
	two := newQueue(1.5) // a core and a half
	require.Equal(t, 3.0, two.serve(0, 3))
	require.Equal(t, 6.0, two.serve(0, 3))
	require.Equal(t, 7.0, two.serve(1, 3)) // the half core is free at once
	require.Equal(t, 9.0, two.serve(1, 3))
}

// TestBounds: what cannot be exceeded is not, and a cluster without load has the times of its
// parts.
func TestBounds(t *testing.T) {
	quiet := Simulate(usual, Setup{Servers: 3, Workspaces: 1, Lease: 5000, Writes: 0.5, Reads: 0.5, Cores: 4, Seconds: 300, Seed: 1})
	require.InDelta(t, 1.5, quiet.Writes, 0.3)
	// The server, the leader, another node, the way, and for two of three the first server.
	require.InDelta(t, 4+1+1.0/3+4+2.0/3*(0.3+hop), quiet.WriteP50, 0.5)
	require.Less(t, quiet.ReadP50, 1.5)
	require.InDelta(t, 3/1.25, quiet.Renewals, 0.1)
	require.Zero(t, quiet.Lost)

	full := Simulate(usual, Setup{Servers: 50, Workspaces: 10, Lease: 60_000, Writers: 1, Cores: 8, Seconds: 20, Seed: 1})
	require.LessOrEqual(t, full.Writes, 1000/usual.Serial)
	require.Greater(t, full.Writes, 900/usual.Serial, "the leader is the bound")
	require.Greater(t, full.LogBusy, 0.95)
}

// TestTakeover: no workspace is taken before its lease ends, and all are taken soon after.
func TestTakeover(t *testing.T) {
	r := Simulate(usual, Setup{Servers: 10, Workspaces: 20, Lease: 5000, Writes: 0.1, Reads: 0.1, MB: 20, Cores: 4, Seconds: 60, Dies: true, Seed: 1})
	least := 5000*3.0/4 + usual.Restore
	require.Greater(t, r.TakeoverP50, least)
	require.Less(t, r.TakeoverP99, 5000+2000.0)
	require.Greater(t, r.TakeoverP99, r.TakeoverP50)
}

// TestLeasesAreLost: more servers than the leader of the leases can renew lose them, and a longer
// lease helps. How many workspaces they have does not matter.
func TestLeasesAreLost(t *testing.T) {
	s := Setup{Servers: 6000, Workspaces: 1, Lease: 5000, Cores: 4, Seconds: 30, Seed: 1} // 4,800 renewals a second, 1,000 can be had
	require.Positive(t, Simulate(usual, s).Lost)
	s.Lease = 60_000
	require.Zero(t, Simulate(usual, s).Lost)
	few, many := Simulate(usual, Setup{Servers: 10, Workspaces: 1, Lease: 5000, Cores: 4, Seconds: 30, Seed: 1}), Simulate(usual, Setup{Servers: 10, Workspaces: 5000, Lease: 5000, Cores: 4, Seconds: 30, Seed: 1})
	require.Zero(t, many.Lost)
	require.InDelta(t, few.Renewals, many.Renewals, 0.1)
}

// TestAsMeasured: the predictions are as near to what was measured as docs/cluster.md says.
func TestAsMeasured(t *testing.T) {
	m, err := measured()
	require.NoError(t, err)
	require.Len(t, m.Runs, 5)
	for _, c := range comparison(m, 1) {
		require.Less(t, Off(c.Predicted.Writes, c.Writes), tolerance, "writes of %d servers: %.0f, measured %.0f", c.Servers, c.Predicted.Writes, c.Writes)
		require.Less(t, Off(c.Predicted.WriteP50, c.WriteP50), tolerance, "the time of a write with %d servers: %.0f ms, measured %.0f", c.Servers, c.Predicted.WriteP50, c.WriteP50)
		if c.TakeoverMS > 0 {
			require.Less(t, Off(c.Predicted.TakeoverP50, c.TakeoverMS), tolerance, "a takeover with %d servers: %.0f ms, measured %.0f", c.Servers, c.Predicted.TakeoverP50, c.TakeoverMS)
		}
	}
}

// tolerance is how far a prediction may be from what was measured, as a part of it. The worst is
// the time of a write with four servers, which had more of the machine than the other runs.
const tolerance = 0.6

// TestCommand: the tables are printed, and a wrong number is an error.
func TestCommand(t *testing.T) {
	m, err := measured()
	require.NoError(t, err)
	var out bytes.Buffer
	s := Setup{Workspaces: 2, Lease: 5000, Writes: 0.1, Reads: 0.1, Cores: 4, Seconds: 20, Seed: 1}
	require.NoError(t, run(&out, m, s, "1, 10", false))
	require.Contains(t, out.String(), "| 10 | 20 |")
	require.NoError(t, run(&out, m, s, "", true))
	require.Contains(t, out.String(), "measured and predicted")
	require.Error(t, run(&out, m, s, "ten", false))
}
