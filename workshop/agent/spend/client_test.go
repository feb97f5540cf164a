package spend

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
)

// biller is a model that bills what it is sent and as much again for its answer,
// or as much as it may. Answers come when as many requests are on their way as
// can be.
type biller struct {
	growth  int64 // of answers
	fails   error
	wait    time.Duration
	thought string

	mu      sync.Mutex
	flights int
	most    int // on their way at once
	billed  int64
	sent    int
	cut     int
}

func (b *biller) Chat(ctx context.Context, r llm.Request) (llm.ChatResponse, error) {
	b.mu.Lock()
	b.flights, b.sent = b.flights+1, b.sent+1
	b.most = max(b.most, b.flights)
	b.mu.Unlock()
	time.Sleep(b.wait)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flights--
	if b.fails != nil {
		return llm.ChatResponse{}, b.fails
	}
	in := tokens.OfRequest(r)
	out := int(b.growth) * tokens.Count(r.Messages[len(r.Messages)-1].Content)
	resp := llm.ChatResponse{FinishReason: "stop", Reasoning: b.thought, Limit: llm.Limit(ctx)}
	if resp.Limit > 0 && resp.Limit < out {
		out, resp.FinishReason = resp.Limit, "length"
		b.cut++
	}
	b.billed += int64(in + out)
	resp.Usage = llm.Usage{PromptTokens: in, CompletionTokens: out}
	return resp, nil
}

func testMeter(t testing.TB, b Budget, change ...func(*Options)) *Meter {
	opt := Options{Owner: "This translation", Budget: b, Model: "m", Parallel: 8, Now: time.Now}
	for _, f := range change {
		f(&opt)
	}
	p, err := NewBoundMeter(opt, workshop.UsageSum{})
	require.NoError(t, err)
	return p
}

func page(n int) []llm.Message {
	return []llm.Message{{Role: llm.RoleUser, Content: strings.Repeat("word ", n)}}
}

// Requests that are on their way at the same time do not exceed a budget
// together, however much longer their answers are than what was sent, and use
// most of it.
func TestMeterIsShared(t *testing.T) {
	for growth, most := range map[int64]int{1: 3, 5: 8} {
		for _, in := range []Budget{{Tokens: 60_000}, {Cost: 0.06}, {WorkbenchTokens: 60_000}} {
			b := &biller{growth: growth, wait: time.Millisecond}
			p := testMeter(t, in, func(o *Options) { o.Price = priced(t, `{"input":1,"output":1}`) })
			c := p.Client(b)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for {
						resp, err := c.Chat(t.Context(), llm.Request{Model: "m", Messages: page(1_000)})
						if err != nil {
							assert.ErrorIs(t, err, ErrUsed)
							return
						}
						assert.False(t, resp.Cut(), "what was cut is not used")
					}
				})
			}
			wg.Wait()
			require.LessOrEqual(t, b.billed, int64(60_000))
			require.Greater(t, b.billed, int64(40_000), "little is left over")
			require.LessOrEqual(t, b.cut, most, "few answers are paid for in vain")
			require.Greater(t, b.most, 2, "requests go side by side while there is room")
			require.Equal(t, runerr.CodeBudget, p.Over().Code)
			require.Contains(t, p.Over().Error(), ", and the next request takes about ")
		}
	}
}

// An answer that was cut is paid for too, so it stands in the usage of the one
// that comes after it, or of the error when there is none.
func TestMeterTellsWhatCutAnswersTook(t *testing.T) {
	for budget, fails := range map[int64]bool{6_000: true, 12_000: false} {
		b := &biller{growth: 3}
		p := testMeter(t, Budget{Tokens: budget}, func(o *Options) { o.Parallel = 4 })
		resp, err := p.Client(b).Chat(t.Context(), llm.Request{Model: "m", Messages: page(1_000)})
		require.Equal(t, fails, errors.Is(err, ErrUsed), "%v", err)
		require.NotZero(t, b.cut)
		require.EqualValues(t, b.billed, resp.Usage.PromptTokens+resp.Usage.CompletionTokens)
		require.Equal(t, b.cut, resp.CutBefore)
	}
}

// What failed before it was taken gives back all of it; a canceled wait ends.
func TestMeterReturnsReservations(t *testing.T) {
	p := testMeter(t, Budget{Tokens: 10_000})
	b := &biller{growth: 1, fails: &llm.Error{Kind: llm.KindRateLimited, Status: 429}}
	for range 50 {
		_, err := p.Client(b).Chat(t.Context(), llm.Request{Model: "m", Messages: page(1_000)})
		require.ErrorIs(t, err, llm.ErrRateLimited)
	}
	b.fails = nil
	_, err := p.Client(b).Chat(t.Context(), llm.Request{Model: "m", Messages: page(1_000)})
	require.NoError(t, err)
	require.Nil(t, p.Over())

	_, _, err = p.reserve(t.Context(), 5_000, 2_000, 0)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Client(b).Chat(ctx, llm.Request{Model: "m", Messages: page(1_000)})
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, p.Over(), "it waited for what the other might give back")
}

func TestMeterOfTime(t *testing.T) {
	h := &hands{time.Unix(1e9, 0)}
	p := testMeter(t, Budget{Time: time.Minute}, func(o *Options) { o.Now = h.now })
	require.NoError(t, p.Allow(t.Context()))
	h.at = h.at.Add(30 * time.Second)
	require.ErrorIs(t, p.Sleep(t.Context(), time.Hour), ErrUsed, "a wait beyond the end is not begun")
	require.Equal(t, "This translation has used 30s of its 1m0s, and the endpoint asks to wait for 1h0m0s more", p.Over().Error())

	p = testMeter(t, Budget{}, func(o *Options) { o.Now, o.Ceiling = h.now, Budget{Time: time.Minute} })
	h.at = h.at.Add(time.Minute)
	require.ErrorIs(t, p.Allow(t.Context()), ErrUsed)
	_, err := p.Client(&biller{}).Chat(t.Context(), llm.Request{Model: "m", Messages: page(1)})
	require.ErrorIs(t, err, ErrUsed)
}

// A model that reasons has room for its thoughts, and no more is taken out for
// an answer than the model gives.
func TestMeterRoom(t *testing.T) {
	ask := func(p *Meter) (int64, error) {
		_, answer, err := p.reserve(t.Context(), 1_000, 100, 0)
		return answer, err
	}
	n, err := ask(testMeter(t, Budget{Tokens: 1_400}))
	require.NoError(t, err)
	require.EqualValues(t, 400, n)
	_, err = ask(testMeter(t, Budget{Tokens: 1_400}, func(o *Options) { o.Reasons = true }))
	require.ErrorIs(t, err, ErrUsed)
	n, err = ask(testMeter(t, Budget{Tokens: 1_000_000}, func(o *Options) { o.MaxAnswer = 4_096 }))
	require.NoError(t, err)
	require.EqualValues(t, 4_096, n)
	n, err = ask(testMeter(t, Budget{Tokens: 1_000_000}, func(o *Options) { o.Window, o.Reasons = 2_500, true }))
	require.NoError(t, err)
	require.EqualValues(t, 1_500, n, "the window ends before")
	n, err = ask(testMeter(t, Budget{Cost: 1}, func(o *Options) { o.Price = priced(t, `{"input":0,"output":0}`) }))
	require.NoError(t, err)
	require.Greater(t, n, int64(1e9))
	_, err = ask(testMeter(t, Budget{Cost: 0.000001}, func(o *Options) { o.Price = priced(t, `{"input":2,"output":0}`) }))
	require.ErrorIs(t, err, ErrUsed)
}

func TestNoMeter(t *testing.T) {
	p, err := NewBoundMeter(Options{Now: time.Now}, workshop.UsageSum{})
	require.NoError(t, err)
	require.Nil(t, p)
	require.Nil(t, p.Over())
	require.NoError(t, p.Allow(t.Context()))
	require.NoError(t, p.Sleep(t.Context(), 1))
	b := &biller{}
	require.Equal(t, llm.Client(b), p.Client(b))
	_, err = NewBoundMeter(Options{Now: time.Now, Budget: Budget{Tokens: -1}}, workshop.UsageSum{})
	require.Equal(t, runerr.CodeValidation, err.(*runerr.Error).Code)
	_, err = NewBoundMeter(Options{Now: time.Now, Ceiling: Budget{Cost: 1}}, workshop.UsageSum{})
	require.Equal(t, runerr.CodeValidation, err.(*runerr.Error).Code)
	require.False(t, errors.Is(err, ErrUsed))
}

// An endpoint that never finishes does not hold requests of a translation beyond
// their time; no answer is used in part.
func TestMeterOfTimeEndsRequests(t *testing.T) {
	h := &hands{time.Unix(1e9, 0)}
	p := testMeter(t, Budget{Time: 20 * time.Millisecond}, func(o *Options) { o.Now = h.now })
	resp, err := p.Client(stalling{}).Chat(t.Context(), llm.Request{Model: "m", Messages: page(100)})
	require.ErrorIs(t, err, ErrUsed)
	require.Equal(t, 1, resp.CutBefore, "it was sent, and is a request in the report")
	require.Equal(t, "This translation has used all of its 20ms, and answers on their way were not waited for", p.Over().Error())
	require.Positive(t, p.Spent.Input, "what was sent counts")
}

// stalling is an endpoint that begins an answer and never finishes.
type stalling struct{ llm.Client }

func (stalling) Chat(ctx context.Context, _ llm.Request) (llm.ChatResponse, error) {
	<-ctx.Done()
	return llm.ChatResponse{Content: "Half an"}, &llm.Error{Kind: llm.KindCanceled, Err: ctx.Err(), Emitted: true}
}

// hands is a clock that is turned by hand.
type hands struct{ at time.Time }

func (h *hands) now() time.Time { return h.at }

func priced(t testing.TB, text string) *models.Price {
	var p models.Price
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	require.NoError(t, p.Check())
	return &p
}
