package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestSiteInBrowser: the site of the documentation, opened from a folder, conforms to
// WCAG 2.2 AA in both colour schemes, does not scroll sideways on a phone, and finds what
// is searched for. (TestSite of docs/site reads it without JavaScript.)
func TestSiteInBrowser(t *testing.T) {
	campaign.Slow(t)
	axe := axeCore(t)
	out := t.TempDir()
	made, err := exec.CommandContext(t.Context(), "go", "run", "atelier/docs/site", "-root", "../..", "-out", out).CombinedOutput()
	require.NoError(t, err, "%s", made)
	ctx, stop := context.WithTimeout(browserTab(t), 5*time.Minute)
	defer stop()
	open := func(page string) {
		t.Helper()
		require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("file://"+filepath.ToSlash(filepath.Join(out, page)))))
	}
	scheme := func(name string) {
		command(t, ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
	}
	for _, page := range []string{"index.html", "guides/analyst.html", "commands.html", "openapi.html", "ui.html", "decisions/index.html"} {
		for _, name := range []string{"light", "dark"} {
			open(page)
			scheme(name)
			eval[chromedp.Void](t, ctx, axe)
			found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`axe.run().then(r => r.violations.flatMap(v => v.nodes.slice(0, 3).map(n => v.id + ": " + n.html.slice(0, 150) + " " + n.failureSummary.replaceAll("\n", " "))))`, chromedp.EvalAwaitPromise))
			require.NoError(t, err)
			require.Empty(t, found, "%s, %s", page, name)
		}
	}
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(360, 740)))
	for _, page := range []string{"index.html", "protocol.html", "tools.html", "translation.html", "openapi.html", "security.html"} {
		open(page)
		require.LessOrEqual(t, eval[int](t, ctx, `document.documentElement.scrollWidth`), 360, page)
	}

	open("guides/lawyer.html")
	press(t, ctx, "/")
	press(t, ctx, "consent leaves")
	require.NoError(t, chromedp.Do(ctx, chromedp.WaitVisible(".found a")))
	require.True(t, eval[bool](t, ctx, `(() => { const r = document.querySelector(".found").getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth && r.width > 250 })()`), "what is found is in the window")
	require.Contains(t, eval[string](t, ctx, `[...document.querySelectorAll(".found a")].map(a => a.textContent).join("\n")`), "Consent and what leaves the machine")
	press(t, ctx, "\r")
	require.Eventually(t, func() bool { // not WaitVisible: it may wait in the document that is left
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.querySelector("#consent-and-what-leaves-the-machine")?.checkVisibility() ?? false`))
		return err == nil && there
	}, uiPatience, uiEvery, "the section that was found")
}
