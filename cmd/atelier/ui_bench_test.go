package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// longUI serves a page whose conversation has messages of a person and as many
// answers, with a table each.
func longUI(t testing.TB, messages int) *uiPage {
	_, p, tab := workingUI(t)
	p.kill()
	found, err := filepath.Glob(filepath.Join(p.home, "workbenches", "*"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	f, err := os.Create(filepath.Join(found[0], "conversation.jsonl"))
	require.NoError(t, err)
	for i := range messages / 2 {
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
	tab.waitText(fmt.Sprintf("Answer %d", messages/2-1))
	return tab
}

// opened loads the page again and returns when, since navigation began, something
// was painted first, and when a frame with a text was. Milliseconds.
func (p *uiPage) opened(text string) (paint, shown float64) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Reload()))
	p.waitFor(`window.benchShown && performance.getEntriesByName("first-contentful-paint")[0]`, text)
	return eval[float64](p.t, p.ctx, `performance.getEntriesByName("first-contentful-paint")[0].startTime`), eval[float64](p.t, p.ctx, `window.benchShown`)
}

// watch has each load of the page note when a text is shown.
func (p *uiPage) watch(text string) {
	p.t.Helper()
	command(p.t, p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: fmt.Sprintf(`
		new MutationObserver((_, o) => {
			if (window.benchShown || !document.body?.textContent.includes(%q)) return;
			o.disconnect();
			requestAnimationFrame(() => setTimeout(() => { window.benchShown = performance.now(); }));
		}).observe(document, { childList: true, subtree: true });`, text)})
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkUIFirstPaint opens the page of a new folder with an empty cache.
func BenchmarkUIFirstPaint(b *testing.B) {
	_, _, tab := workingUI(b)
	command(b, tab.ctx, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	tab.watch("What should be done?")
	var paints, shows []float64
	for b.Loop() {
		paint, shown := tab.opened("What should be done?")
		paints, shows = append(paints, paint), append(shows, shown)
	}
	b.ReportMetric(median(paints), "ms/first-paint")
	b.ReportMetric(median(shows), "ms/usable")
}

// BenchmarkUI10000Messages opens a page whose conversation has 10,000 messages.
func BenchmarkUI10000Messages(b *testing.B) {
	tab := longUI(b, 10_000)
	tab.watch("Answer 4999")
	var paints, shows []float64
	for b.Loop() {
		paint, shown := tab.opened("Answer 4999")
		paints, shows = append(paints, paint), append(shows, shown)
	}
	b.ReportMetric(median(paints), "ms/first-paint")
	b.ReportMetric(median(shows), "ms/last-message")
}

// BenchmarkUIStreaming streams the last 2,000 tokens of an answer, 200 a second, and
// reports how much of a processor the page's main thread takes meanwhile: its time on
// the processor, so that other work on the machine counts little.
func BenchmarkUIStreaming(b *testing.B) {
	for _, tokens := range []int{2000, 20_000} {
		b.Run(fmt.Sprint(tokens), func(b *testing.B) {
			m, _, tab := workingUI(b)
			command(b, tab.ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
			var mine, all []float64
			for b.Loop() {
				text := manyWords(tokens)
				m.then(uiAnswer{text: text, pace: 5 * time.Millisecond, quick: strings.Count(text, " ") - 2000})
				tab.say("Tell me all.")
				tab.waitFor(fmt.Sprintf(`document.querySelector(".answer:last-child .prose")?.textContent.length > %d`, len(text)/2*(tokens-2000)/tokens), "the answer")
				before, at := tab.metrics(), time.Now()
				time.Sleep(7 * time.Second)
				after, took := tab.metrics(), time.Since(at).Seconds()
				require.False(b, eval[bool](b, tab.ctx, `document.querySelector(".progress").hidden`), "it streams no more")
				mine = append(mine, 100*(after.own-before.own)/took)
				all = append(all, 100*(after.tasks-before.tasks)/took)
				tab.idle()
			}
			b.ReportMetric(median(mine), "%/script-style-layout")
			b.ReportMetric(median(all), "%/main-thread")
		})
	}
}

// manyWords is a text in Markdown of about as many tokens as words.
func manyWords(tokens int) string {
	part := strings.Repeat("word **and** more ", 20) + "\n\n- one\n- two\n\n```\ncode\n```\n\n"
	n := len(strings.Fields(part))
	return strings.Repeat(part, max(1, tokens/n))
}

// left returns how many answers were not asked for.
func (m *uiModel) left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.answers)
}

// uiMetrics are what the browser says of a page's main thread and its memory.
type uiMetrics struct {
	own, tasks float64 // seconds of script, style and layout; of all tasks
	heap       float64 // bytes
	nodes      float64 // elements and texts, also those that are in no document
	listeners  float64
}

func (p *uiPage) metrics() (m uiMetrics) {
	p.t.Helper()
	r, err := chromedp.Call(p.ctx, performance.GetMetrics, cdp.Empty{})
	require.NoError(p.t, err)
	for _, one := range r.Metrics {
		switch one.Name {
		case "TaskDuration":
			m.tasks = one.Value
		case "ScriptDuration", "LayoutDuration", "RecalcStyleDuration":
			m.own += one.Value
		case "JSHeapUsedSize":
			m.heap = one.Value
		case "Nodes":
			m.nodes = one.Value
		case "JSEventListeners":
			m.listeners = one.Value
		}
	}
	return m
}
