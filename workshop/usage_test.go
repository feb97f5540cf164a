package workshop

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func money(n int64) *int64 { return &n }

// request writes down a whole request.
func request(t testing.TB, wb *Workbench, u Usage) {
	t.Helper()
	id, err := wb.OpenUsage(t.Context(), Usage{Run: u.Run, MessageID: u.MessageID, Purpose: u.Purpose, Provider: u.Provider, Model: u.Model, At: time.Unix(1, 0), Currency: u.Currency, Tokens: Tokens{Input: 999}, Cost: money(999)})
	require.NoError(t, err)
	u.ID = id
	require.NoError(t, wb.CloseUsage(t.Context(), u))
}

func TestUsageSums(t *testing.T) {
	r := newRig(t, nil)
	wb := r.wb
	total, err := wb.UsageTotal(t.Context())
	require.NoError(t, err)
	require.Zero(t, total)

	request(t, wb, Usage{Run: "r1", MessageID: "u-1", Purpose: UsageSummary, Provider: "p", Model: "a", State: UsageOK, Tokens: Tokens{100, 40, 10, 0}, Cost: money(5), Currency: "EUR"})
	request(t, wb, Usage{Run: "r1", MessageID: "u-1", Purpose: UsageTurn, Provider: "p", Model: "a", State: UsageFailed, Tokens: Tokens{1, 0, 1, 0}, Estimated: true, Cost: money(1), Currency: "EUR"})
	request(t, wb, Usage{Run: "r1", MessageID: "u-1", Purpose: UsageTurn, Provider: "p", Model: "b", State: UsageOK, Tokens: Tokens{7, 0, 3, 0}})
	request(t, wb, Usage{Run: "r2", MessageID: "u-2", Purpose: UsageTurn, Provider: "q", Model: "a", State: UsageOK, Tokens: Tokens{1000, 0, 2, 0}, Cost: money(7), Currency: "USD"})
	request(t, wb, Usage{Run: "r3", Purpose: UsageTranslate, Provider: "q", Model: "a", State: UsageFailed})

	total, err = wb.UsageTotal(t.Context())
	require.NoError(t, err)
	require.Equal(t, UsageSum{Requests: 5, Failed: 2, Estimated: 1, Unpriced: 1, Tokens: Tokens{1108, 40, 16, 0}, Costs: []Cost{{"EUR", 6}, {"USD", 7}}}, total)
	amount, ok := total.Cost("USD")
	require.True(t, ok)
	require.EqualValues(t, 7, amount)
	_, ok = total.Cost("GBP")
	require.False(t, ok)

	by, err := wb.UsageByModel(t.Context())
	require.NoError(t, err)
	require.Equal(t, []ModelUsage{
		{"p", "a", UsageSum{Requests: 2, Failed: 1, Estimated: 1, Tokens: Tokens{101, 40, 11, 0}, Costs: []Cost{{"EUR", 6}}}},
		{"p", "b", UsageSum{Requests: 1, Unpriced: 1, Tokens: Tokens{7, 0, 3, 0}}},
		{"q", "a", UsageSum{Requests: 2, Failed: 1, Tokens: Tokens{1000, 0, 2, 0}, Costs: []Cost{{"USD", 7}}}},
	}, by)

	runs, err := wb.UsageRuns(t.Context(), 0, 2)
	require.NoError(t, err)
	require.Len(t, runs, 2)
	require.Equal(t, []string{"r3", "r2"}, []string{runs[0].Run, runs[1].Run})
	require.Equal(t, UsageTranslate, runs[0].Purpose)
	runs, err = wb.UsageRuns(t.Context(), runs[1].First, 2)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	require.Equal(t, RunUsage{Run: "r1", First: 1, MessageID: "u-1", Purpose: UsageTurn, Begun: runs[0].Begun,
		UsageSum: UsageSum{Requests: 3, Failed: 1, Estimated: 1, Unpriced: 1, Tokens: Tokens{108, 40, 14, 0}, Costs: []Cost{{"EUR", 6}}}, Parts: []PartUsage{
			{Purpose: UsageSummary, UsageSum: UsageSum{Requests: 1, Tokens: Tokens{100, 40, 10, 0}, Costs: []Cost{{"EUR", 5}}}},
			{Purpose: UsageTurn, UsageSum: UsageSum{Requests: 2, Failed: 1, Estimated: 1, Unpriced: 1, Tokens: Tokens{8, 0, 4, 0}, Costs: []Cost{{"EUR", 1}}}}}}, runs[0])
	require.True(t, runs[0].Begun.Equal(time.Unix(1, 0)))
}

// A request whose answer never came counts with what it was expected to take.
func TestUsageSurvivesACrash(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.wb.OpenUsage(t.Context(), Usage{Run: "r1", Purpose: UsageTurn, Model: "a", At: time.Unix(1, 0), Tokens: Tokens{Input: 50}, Cost: money(3), Currency: "EUR"})
	require.NoError(t, err)
	r.reopen()
	total, err := r.wb.UsageTotal(t.Context())
	require.NoError(t, err)
	require.Equal(t, UsageSum{Requests: 1, Open: 1, Estimated: 1, Tokens: Tokens{Input: 50}, Costs: []Cost{{"EUR", 3}}}, total)
}

// A state that an older release wrote, and that is only read, has used nothing.
func TestUsageOfAnOlderState(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.wb.db.Exec(`DROP TABLE usage`)
	require.NoError(t, err)
	wb, err := r.h.Read(t.Context(), r.wb.ID())
	require.NoError(t, err)
	defer wb.Close()
	total, err := wb.UsageTotal(t.Context())
	require.NoError(t, err)
	require.Zero(t, total)
	runs, err := wb.UsageRuns(t.Context(), 0, 5)
	require.NoError(t, err)
	require.Empty(t, runs)
}

func BenchmarkUsage(b *testing.B) {
	r := newRig(b, nil)
	for b.Loop() {
		request(b, r.wb, Usage{Run: "r1", Purpose: UsageTurn, State: UsageOK, Tokens: Tokens{100, 40, 10, 0}})
	}
}

// K-08: usage that an older program wrote is read as it is, and migrated by whoever
// writes.
func TestUsageOfOldState(t *testing.T) {
	r := newRig(t, nil)
	request(t, r.wb, Usage{Run: "r1", Purpose: UsageTurn, Model: "a", State: UsageOK, Tokens: Tokens{Input: 50, Output: 5}})
	_, err := r.wb.db.Exec(`ALTER TABLE usage DROP COLUMN written`)
	require.NoError(t, err)
	id := r.wb.ID()
	require.NoError(t, r.wb.Close())
	reader, err := r.h.Read(ctx, id)
	require.NoError(t, err)
	total, err := reader.UsageTotal(ctx)
	require.NoError(t, err)
	require.Equal(t, Tokens{Input: 50, Output: 5}, total.Tokens)
	runs, err := reader.UsageRuns(ctx, 0, 10)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	require.NoError(t, reader.Close())

	r.reopen()
	request(t, r.wb, Usage{Run: "r1", Purpose: UsageTurn, Model: "a", State: UsageOK, Tokens: Tokens{Input: 50, Output: 5, Written: 30}})
	total, err = r.wb.UsageTotal(ctx)
	require.NoError(t, err)
	require.Equal(t, Tokens{Input: 100, Output: 10, Written: 30}, total.Tokens)
}
