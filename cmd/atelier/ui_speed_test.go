package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestUILongConversation: 10,000 messages are shown within a second, and older ones
// on demand.
func TestUILongConversation(t *testing.T) {
	campaign.Slow(t)
	_, p, page := workingUI(t)
	p.kill()
	found, err := filepath.Glob(filepath.Join(p.home, "workbenches", "*"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	f, err := os.Create(filepath.Join(found[0], "conversation.jsonl"))
	require.NoError(t, err)
	for i := range 5000 {
		at := time.Unix(int64(1.8e9)+int64(i), 0).UTC().Format(time.RFC3339)
		for _, r := range []obj{
			{"type": "user_message", "message_id": fmt.Sprintf("u-%d", i), "role": "user", "text": fmt.Sprintf("Question %d", i), "created_at": at},
			{"type": "assistant_message", "message_id": fmt.Sprintf("a-%d", i), "role": "assistant", "text": fmt.Sprintf("Answer **%d**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", i), "created_at": at},
		} {
			b, _ := json.Marshal(r)
			_, err := f.Write(append(b, '\n'))
			require.NoError(t, err)
		}
	}
	require.NoError(t, f.Close())
	p.start()
	page.waitText("Answer 4999")
	begun := time.Now()
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitText("Answer 4999")
	took := time.Since(begun)
	paint := eval[float64](t, page.ctx, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`)
	t.Logf("10,000 messages after %v; first paint after %.0f ms", took, paint)
	require.Less(t, took, 4*time.Second, "a second on a machine with nothing else to do")
	require.Equal(t, 120, eval[int](t, page.ctx, `document.querySelectorAll(".entry").length`))
	page.click("Show earlier messages (9880 more)")
	page.waitFor(`document.querySelectorAll(".entry").length === 520`, "earlier messages")
	require.Empty(t, page.reported())
}

// TestUIStreaming: 200 tokens a second cost the page a small part of a processor,
// also at the end of a long answer.
func TestUIStreaming(t *testing.T) {
	campaign.Slow(t)
	m, _, page := workingUI(t)
	line := strings.Repeat("word **and** more ", 20) + "\n\n- one\n- two\n\n```\ncode\n```\n\n"
	m.then(uiAnswer{text: strings.Repeat(line, 40), pace: 5 * time.Millisecond})
	command(t, page.ctx, performance.Enable, performance.EnableParams{})
	page.say("Tell me all.")
	page.waitText("word and more")
	busy := func() (mine, all float64) { // seconds
		r, err := chromedp.Call(page.ctx, performance.GetMetrics, cdp.Empty{})
		require.NoError(t, err)
		for _, one := range r.Metrics {
			switch one.Name {
			case "TaskDuration":
				all = one.Value
			case "ScriptDuration", "LayoutDuration", "RecalcStyleDuration":
				mine += one.Value
			}
		}
		return mine, all
	}
	mine, all := busy()
	at := time.Now()
	time.Sleep(8 * time.Second)
	mineThen, allThen := busy()
	share := (mineThen - mine) / time.Since(at).Seconds()
	t.Logf("200 tokens a second: script, style and layout take %.0f %% of a processor, with painting in software %.0f %%", share*100, (allThen-all)/time.Since(at).Seconds()*100)
	require.Less(t, share, 0.4, "a fifth on a machine with nothing else to do")
	require.Empty(t, page.reported())
}
