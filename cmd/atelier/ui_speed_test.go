package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestUILongConversation: of 10,000 messages the last are shown at first, and older
// ones on demand.
func TestUILongConversation(t *testing.T) {
	campaign.Slow(t)
	tab := longUI(t, 10_000)
	tab.watch("Answer 4999")
	paint, shown := tab.opened("Answer 4999")
	t.Logf("first paint after %.0f ms, the last message after %.0f ms", paint, shown)
	require.Equal(t, 120, eval[int](t, tab.ctx, `document.querySelectorAll(".entry").length`))
	tab.click("Show earlier messages (9880 more)")
	tab.waitFor(`document.querySelectorAll(".entry").length === 520`, "earlier messages")
	require.Empty(t, tab.reported())
}

const turns = 45 // of a run, which may have 50

// TestUIMemory: while a run streams, the page keeps its texts and little more: the
// elements of old messages go, and nothing else grows. The whole campaign streams
// 540,000 tokens, which take 45 minutes at 200 a second.
func TestUIMemory(t *testing.T) {
	campaign.Slow(t)
	m, _, tab := workingUI(t)
	command(t, tab.ctx, performance.Enable, performance.EnableParams{})
	runs, tokens := 1, 200
	if campaign.Full() {
		runs, tokens = 4, 2000
	}
	text := manyWords(tokens)
	stream := func(runs int) uiMetrics {
		for range runs {
			for i := range turns {
				m.then(uiAnswer{text: text, pace: 200 * time.Microsecond, calls: []uiCall{{"write_text_file", fmt.Sprintf(`{"path":"step%d.md","content":"%d\n"}`, i%7, i)}}})
			}
			m.then(uiAnswer{text: "All is told."})
			tab.say("Tell me all.")
			tab.waitFor(`!document.querySelector(".progress").hidden`, "the run")
			for ends := time.Now().Add(5 * time.Minute); !eval[bool](t, tab.ctx, `document.querySelector(".progress").hidden`); time.Sleep(uiEvery) {
				require.True(t, time.Now().Before(ends), "the run continues")
			}
			require.Equal(t, 0, m.left(), "the run has ended too early")
		}
		command(t, tab.ctx, heapprofiler.CollectGarbage, cdp.Empty{})
		return tab.metrics()
	}
	begun := time.Now()
	before := stream(2) // more messages and calls than are shown at once
	after := stream(runs)
	t.Logf("%d tokens in %v: heap %.1f → %.1f MB, nodes %.0f → %.0f, listeners %.0f → %.0f", (2+runs)*turns*tokens, time.Since(begun).Round(time.Second),
		before.heap/1e6, after.heap/1e6, before.nodes, after.nodes, before.listeners, after.listeners)
	require.Less(t, after.heap, before.heap+2*float64(len(text)*runs*turns)+1e6, "the text, and little more")
	require.Less(t, after.nodes, 1.1*before.nodes)
	require.Less(t, after.listeners, 1.1*before.listeners)
	require.Empty(t, tab.reported())
}
