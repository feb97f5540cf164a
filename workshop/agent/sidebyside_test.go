package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/llm"
	"atelier/llm/llmtest/chaos"
	"atelier/llm/openai"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/tools"
)

// probeArgs say what a call of the probe does.
type probeArgs struct {
	ID int    `json:"id"`
	Do string `json:"do" jsonschema:"wait, panic, hang or fail"`
}

// probes watches how many tools are at work at once.
type probes struct {
	reading, writing, most atomic.Int64
	ran                    atomic.Int64
	broken                 atomic.Value // string: what must not be
}

func (p *probes) run(ctx context.Context, write bool, a probeArgs) (any, error) {
	p.ran.Add(1)
	mine, others := &p.reading, &p.writing
	if write {
		mine, others = &p.writing, &p.reading
	}
	n := mine.Add(1)
	defer mine.Add(-1)
	if others.Load() > 0 || write && n > 1 {
		p.broken.Store(fmt.Sprintf("call %d: a write was not alone", a.ID))
	}
	for {
		most := p.most.Load()
		if write || n <= most || p.most.CompareAndSwap(most, n) {
			break
		}
	}
	switch a.Do {
	case "panic":
		panic("a tool that panics")
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	case "fail":
		return nil, errors.New("a tool that fails")
	}
	time.Sleep(time.Duration(a.ID%3) * time.Millisecond) // so that later ones are done first
	return fmt.Sprintf("result %d", a.ID), nil
}

// catalogue is a real one, with two tools: look reads, put writes.
func (p *probes) catalogue(t *testing.T) *tools.Catalogue {
	var bindings []tools.Binding
	for name, effect := range map[string]tools.Effect{"look": tools.Read, "put": tools.Write} {
		tool := tools.New(name, "A probe.", effect, func(ctx context.Context, _ *tools.Env, a probeArgs) (any, error) {
			return p.run(ctx, effect == tools.Write, a)
		})
		bindings = append(bindings, tools.Direct(name, tool))
	}
	c, err := tools.NewCatalogue(tools.Style{Name: "probes"}, bindings...)
	require.NoError(t, err)
	return c
}

func probeCall(id int, name, do string) llm.ToolCall {
	b, err := json.Marshal(probeArgs{id, do})
	if err != nil {
		panic(err)
	}
	return llm.ToolCall{ID: fmt.Sprintf("c%d", id), Type: "function", Function: llm.FunctionCall{Name: name, Arguments: string(b)}}
}

// wanted is the result of a call, as it begins.
func wanted(c llm.ToolCall) string {
	var a probeArgs
	if err := json.Unmarshal([]byte(c.Function.Arguments), &a); err != nil {
		panic(err)
	}
	switch a.Do {
	case "panic":
		return "Error: "
	case "hang":
		return fmt.Sprintf("Error: tool %s timed out", c.Function.Name)
	case "fail":
		return "Error: "
	}
	return fmt.Sprintf("result %d", a.ID)
}

// DESIGN 6: read-only calls that follow each other run side by side, at most
// four; writes are alone; results stay in the order of the calls; one that
// panics, hangs or fails hurts no other. Under an endpoint that fails in every
// way, and the race detector (W-03, W-11).
func TestReadsSideBySide(t *testing.T) {
	campaign.Slow(t)
	seeds := campaign.Of(40, 40)
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		var steps [][]llm.ToolCall
		id := 0
		for range 1 + rng.IntN(3) {
			var calls []llm.ToolCall
			for range 1 + rng.IntN(12) {
				id++
				name := []string{"look", "look", "look", "put"}[rng.IntN(4)]
				do := []string{"wait", "wait", "wait", "wait", "panic", "fail", "hang"}[rng.IntN(7)]
				calls = append(calls, probeCall(id, name, do))
			}
			steps = append(steps, calls)
		}
		p := &probes{}
		r := newRig(t, nil)
		r.cfg.Catalogue = p.catalogue(t)
		r.cfg.Limits.ToolTimeout = 60 * time.Millisecond
		srv := httptest.NewServer(chaos.New(uint64(seed), chaosScript(steps)))
		r.cfg.Client = openai.New(openai.Options{BaseURL: srv.URL, IdleTimeout: 300 * time.Millisecond, Limits: chaos.Limits})
		for say := "Go."; ; say = "Go on." {
			_, err := Run(t.Context(), r.cfg, r.say(say))
			if err == nil {
				break
			}
			require.Contains(t, []string{runerr.CodeUnavailable, runerr.CodeNetwork, runerr.CodeTooLarge}, code(err), "%v", err)
		}
		srv.Close()
		require.Nil(t, p.broken.Load(), "seed %d", seed)
		require.LessOrEqual(t, p.most.Load(), int64(4))
		require.Equal(t, int64(id), p.ran.Load(), "each call is carried out once")
		var got []workshop.Record
		for _, rec := range r.records() {
			if rec.Type == workshop.TypeToolResult {
				got = append(got, rec)
			}
		}
		require.Len(t, got, id)
		n := 0
		for _, calls := range steps {
			for _, c := range calls {
				require.Equal(t, c.ID, got[n].ToolCallID, "seed %d", seed)
				require.True(t, strings.HasPrefix(got[n].Content, wanted(c)), "%s: %s", c.Function.Arguments, got[n].Content)
				n++
			}
		}
		r.checkEvents(t)
		require.NoError(t, r.home.Close())
	}
}

// Four are at work together, and the fifth waits for them.
func TestFourReadsAtOnce(t *testing.T) {
	p := &probes{}
	r := newRig(t, nil)
	r.cfg.Catalogue = p.catalogue(t)
	r.cfg.Limits.ToolTimeout = 100 * time.Millisecond
	var args []string
	for i := range 9 {
		args = append(args, "look", probeCall(i, "look", "hang").Function.Arguments)
	}
	_, err := r.run(play(calls(args...), says("done")), "go")
	require.NoError(t, err)
	require.Equal(t, int64(4), p.most.Load())
	require.Equal(t, int64(9), p.ran.Load())
}
