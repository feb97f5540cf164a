package agent

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/llm"
	"atelier/llm/llmtest/chaos"
	"atelier/llm/openai"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/agent/spend"
	"atelier/workshop/tools/catalogue"
)

// TestBudgetUnderChaos: a budget and an endpoint that does anything. Each run
// ends with the right files or a clear error, no call is carried out in half or
// twice, and no run goes on past its budget.
func TestBudgetUnderChaos(t *testing.T) {
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	defer home.Close()
	set := all.Formats(all.Options{CacheDir: formatstest.Cache})
	ended, finished := 0, 0
	for n := range campaign.Of(12, 48) {
		steps := chaosSteps()
		srv := httptest.NewServer(chaos.New(uint64(1000+n), chaosScript(steps)))
		root := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte("alpha\n"), 0o644))
		wb, err := home.OpenFolder(t.Context(), root)
		require.NoError(t, err)
		most := 0
		c := chaosRun{wb: wb, cfg: Config{Workbench: wb, Catalogue: catalogue.Workshop(), Tools: ToolsFull, Formats: set, Model: "m", Provider: "chaos",
			Client: silent{openai.New(openai.Options{BaseURL: srv.URL, IdleTimeout: 100 * time.Millisecond, Limits: chaos.Limits})},
			Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}}
		est := tokens.OfTools(c.cfg.Catalogue.Tools())
		c.cfg.Budget = spend.Budget{Tokens: int64(est*5/2 + n*100)} // two or three requests
		c.cfg.Events = sinkFunc(func(e Event) {
			if u, ok := e.Params.(RequestUsage); ok {
				most = max(most, int(u.Run.InputTokens+u.Run.OutputTokens))
			}
		})
		require.NoError(t, c.play(t.Context()))
		c.errs = slices.DeleteFunc(c.errs, func(e *runerr.Error) bool {
			if e.Code == runerr.CodeBudget {
				ended++
				return true
			}
			return false
		})
		require.NoError(t, c.check(t.Context()), "conversation %d", n)
		require.LessOrEqual(t, most, int(c.cfg.Budget.Tokens)+2000, "by one answer at most")
		if c.finished {
			finished++
		}
		total, err := wb.UsageTotal(t.Context())
		require.NoError(t, err)
		records, err := wb.Conversation().Records()
		require.NoError(t, err)
		answers := 0
		for _, rec := range records {
			if rec.Type == workshop.TypeAssistant && rec.Metadata["interrupted"] == nil {
				answers++
			}
		}
		require.EqualValues(t, answers, total.Requests-total.Failed, "each answer is one request that went well")
		srv.Close()
	}
	require.NotZero(t, ended)
	require.NotZero(t, finished)
	t.Logf("%d runs ended at their budget; %d of 12 conversations finished", ended, finished)
}

// silent says nothing of what it counted.
type silent struct{ llm.Client }

func (s silent) Chat(ctx context.Context, req llm.Request) (llm.ChatResponse, error) {
	resp, err := s.Client.Chat(ctx, req)
	resp.Usage = llm.Usage{}
	return resp, err
}

type sinkFunc func(Event)

func (f sinkFunc) Emit(e Event) { f(e) }
