package main

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/internal/campaign"

	"atelier/internal/need"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// reviewPicture, if set, is a folder for screenshots of the page: light.png,
// dark.png and whole.png.
var reviewPicture = flag.String("review-picture", "", "folder for pictures of the review page")

// browser opens a page in a headless Chromium and records its errors and
// requests.
func browser(t *testing.T, file string, script bool) (context.Context, func() []string) {
	t.Helper()
	ctx := browserTab(t)
	var mu sync.Mutex
	var seen []string
	page := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
	require.NoError(t, chromedp.Listen(ctx, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; u != page && !strings.HasPrefix(u, "data:") {
				seen = append(seen, "request: "+u)
			}
		case *runtime.EventExceptionThrown:
			seen = append(seen, "exception: "+ev.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			seen = append(seen, fmt.Sprintf("console: %s", ev.Type))
		case *log.EventEntryAdded:
			seen = append(seen, "log: "+ev.Entry.Text)
		}
	}))
	command(t, ctx, network.Enable, network.EnableParams{})
	command(t, ctx, log.Enable, cdp.Empty{})
	command(t, ctx, runtime.Enable, cdp.Empty{})
	command(t, ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !script})
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate(page)))
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), seen...)
	}
}

// browserTab starts a headless Chromium with an empty tab.
func browserTab(t testing.TB) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		need.Absent(t, "Chromium", "chromium")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1280, 900), chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(2*time.Minute))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // Chromium refuses its sandbox to root
	}
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Minute)
	t.Cleanup(stop)
	ctx, stopAllocator := chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(stopAllocator)
	ctx, stopTab := chromedp.NewContext(ctx)
	t.Cleanup(stopTab)
	return ctx
}

func command[P, R any](t testing.TB, ctx context.Context, cmd cdp.Command[P, R], params P) {
	t.Helper()
	_, err := chromedp.Call(ctx, cmd, params)
	require.NoError(t, err)
}

func eval[T any](t testing.TB, ctx context.Context, js string) T {
	t.Helper()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	require.NoError(t, err)
	return out
}

// press types as a keyboard does: a key that the page has handled types nothing.
// chromedp sends the character as a second event, which is not prevented.
func press(t testing.TB, ctx context.Context, keys string) {
	t.Helper()
	for _, r := range keys {
		events := kb.Encode(r)
		down, up := *events[0], *events[len(events)-1]
		if len(events) == 3 {
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
		}
		command(t, ctx, input.DispatchKeyEvent, down)
		command(t, ctx, input.DispatchKeyEvent, up)
	}
}

// RV-06: in a browser the page runs without errors, works with the keyboard,
// and every focusable element has a name.
func TestRV06Browser(t *testing.T) {
	campaign.Slow(t)
	if testing.Short() {
		t.Skip("starts a browser: left out with -short")
	}
	file, _ := wholePage(t)
	ctx, seen := browser(t, file, true)

	// The first Tab reaches the skip link, and the link works.
	press(t, ctx, kb.Tab)
	require.Equal(t, "#changes", eval[string](t, ctx, `document.activeElement.getAttribute("href")`))
	press(t, ctx, kb.Enter)
	require.Equal(t, "changes", eval[string](t, ctx, `document.activeElement.id || location.hash.slice(1)`))

	// n and j go forward, p and k back; the position is announced; files have
	// keys too.
	changes := eval[int](t, ctx, `document.querySelectorAll(".change").length`)
	require.Greater(t, changes, 12)
	for _, step := range []struct{ key, id string }{{"n", "c1"}, {"j", "c2"}, {"n", "c3"}, {"p", "c2"}, {"k", "c1"}, {"p", "c1"}} {
		press(t, ctx, step.key)
		require.Equal(t, step.id, eval[string](t, ctx, `document.activeElement.id`), step.key)
	}
	require.Equal(t, fmt.Sprintf("Change 1 of %d", changes), eval[string](t, ctx, `document.getElementById("where").textContent`))
	require.True(t, eval[bool](t, ctx, `(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 })()`), "the focus is seen")
	for range changes + 3 {
		press(t, ctx, "n")
	}
	require.Equal(t, fmt.Sprintf("c%d", changes), eval[string](t, ctx, `document.activeElement.id`))
	press(t, ctx, "P")
	require.Regexp(t, `^f\d$`, eval[string](t, ctx, `document.activeElement.id`))
	press(t, ctx, "?")
	require.True(t, eval[bool](t, ctx, `document.getElementById("help").offsetHeight > 0`), "? shows the keys")
	require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.ID("next"))))
	require.True(t, eval[bool](t, ctx, `document.activeElement.classList.contains("change")`))

	require.Empty(t, eval[[]string](t, ctx, jsUnnamed))
	require.Empty(t, eval[[]string](t, ctx, jsStructure))
	require.Empty(t, eval[[]string](t, ctx, jsContrast), "contrast of text below 4.5 : 1")
	require.Empty(t, eval[[]string](t, ctx, jsSideways), "the page scrolls sideways")
	require.Empty(t, seen(), "errors, console lines or requests")
	pictures(t, ctx, "light.png", "whole.png")

	// In dark mode, on a phone.
	command(t, ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	require.Empty(t, eval[[]string](t, ctx, jsContrast), "contrast in the dark")
	pictures(t, ctx, "dark.png", "")
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(380, 800)))
	require.Empty(t, eval[[]string](t, ctx, jsSideways), "the page scrolls sideways on a phone")
}

// RV-06: without its script the page shows the same, without the keys.
func TestRV06BrowserWithoutScript(t *testing.T) {
	campaign.Slow(t)
	if testing.Short() {
		t.Skip("starts a browser: left out with -short")
	}
	file, _ := wholePage(t)
	ctx, seen := browser(t, file, false)
	text, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("main")))
	require.NoError(t, err)
	for _, want := range []string{"contrato.docx", "cinco", "480", "Treinta y cinco empleados", "Acta de la reunión"} {
		require.Contains(t, text, want)
	}
	body, err := chromedp.Run(ctx, chromedp.OuterHTML(chromedp.CSS("body")))
	require.NoError(t, err)
	require.Regexp(t, `<div class="keys" id="keys" hidden`, body, "keys that do nothing are not offered")
	require.Empty(t, seen())
}

// RV-06: markup in documents does not run and shows as text.
func TestRV06BrowserHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser: left out with -short")
	}
	const evil = `<script>document.title='owned'</script><img src='http://127.0.0.1:9/x' onerror='document.title=1'>`
	e, wb := edited(t,
		[2]string{"docx_operations", `{"path":"contrato.docx","operations":[{"op":"append_paragraph","text":"` + evil + `"}]}`},
		[2]string{"write_text_file", `{"path":"x.html","content":"` + evil + `"}`})
	file, _ := htmlOf(t, e, wb, false)
	ctx, seen := browser(t, file, true)
	require.Equal(t, "Review of olivares", eval[string](t, ctx, `document.title`))
	require.Equal(t, 1, eval[int](t, ctx, `document.scripts.length`))
	require.Contains(t, eval[string](t, ctx, `document.body.innerText`), "<script>document.title='owned'</script>")
	require.Empty(t, seen())
}

func pictures(t *testing.T, ctx context.Context, window, whole string) {
	t.Helper()
	if *reviewPicture == "" {
		return
	}
	eval[chromedp.Void](t, ctx, `document.querySelector(".legend").open = false; document.activeElement.blur(); window.scrollTo({top:0, behavior:"instant"})`)
	b, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*reviewPicture, window), b, 0o644))
	if whole != "" {
		b, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(*reviewPicture, whole), b, 0o644))
	}
}

// jsUnnamed lists focusable or visible elements without an accessible name.
const jsUnnamed = `Array.from(document.querySelectorAll("a, button, img, summary, [role=region], [role=group], section"))
	.filter(e => !(e.innerText || "").trim() && !e.getAttribute("aria-label") && !e.getAttribute("alt") && !e.getAttribute("aria-labelledby"))
	.map(e => e.outerHTML.slice(0, 120))`

// jsSideways lists elements that extend beyond the window, except tables that
// scroll.
const jsSideways = `document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
	Array.from(document.querySelectorAll("body *")).filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !e.closest(".scroll"))
	.map(e => e.outerHTML.slice(0, 100))`

// jsStructure lists violations of the page's outline: one h1, no level
// skipped, landmarks, headers of tables with a scope, unique ids.
const jsStructure = `(() => {
	const out = [];
	if (document.querySelectorAll("h1").length !== 1) out.push("h1");
	for (const s of ["main", "header", "footer"]) if (document.querySelectorAll(s).length !== 1) out.push(s);
	let level = 1;
	for (const h of document.querySelectorAll("h1,h2,h3,h4")) { const n = +h.tagName[1]; if (n > level + 1) out.push("skips to " + h.outerHTML.slice(0, 80)); level = n; }
	for (const th of document.querySelectorAll("th")) if (!th.scope) out.push("th without scope");
	for (const t of document.querySelectorAll("table")) if (!t.querySelector("th")) out.push("table without headers");
	const ids = new Set();
	for (const e of document.querySelectorAll("[id]")) { if (ids.has(e.id)) out.push("id twice: " + e.id); ids.add(e.id); }
	for (const a of document.querySelectorAll("a[href^='#']")) if (!document.getElementById(a.getAttribute("href").slice(1))) out.push("leads nowhere: " + a.href);
	return out;
})()`

// jsContrast lists texts with too little contrast to their background (WCAG
// 2.2, 1.4.3).
const jsContrast = `(() => {
	const parse = c => (c.match(/[\d.]+/g) || []).map(Number);
	const lum = ([r, g, b]) => { const f = v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 }; return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
	const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length && (c.length < 4 || c[3] > .99)) return c; } return [255, 255, 255]; };
	const out = new Set();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.data.trim() || /^(SCRIPT|STYLE)$/.test(e.tagName) || !e.offsetParent) continue;
		const a = lum(parse(getComputedStyle(e).color)), b = lum(behind(e));
		const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) out.add(ratio.toFixed(2) + " " + e.outerHTML.slice(0, 100));
	}
	return Array.from(out);
})()`
