package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// uiPictures, if set, is a folder for screenshots of the page of atelier ui.
var uiPictures = flag.String("ui-pictures", "", "folder for pictures of the page of atelier ui")

// uiModel is an endpoint whose answers a test gives one after another.
type uiModel struct {
	*httptest.Server
	mu      sync.Mutex
	answers []uiAnswer
	asked   []string // bodies of the requests
}

// uiAnswer is text, calls of tools, or both. The text comes word by word; it
// stops before "|" until hold is closed.
type uiAnswer struct {
	text  string
	calls []uiCall
	hold  <-chan struct{}
	pace  time.Duration // between two words
	quick int           // words at the beginning that come without pace
	uses  int           // tokens that the request counts as, default 1200
	fails bool          // the endpoint refuses the request
}

type uiCall struct{ name, args string }

func newUIModel(t testing.TB) *uiModel {
	m := &uiModel{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.CloseClientConnections)
	return m
}

func (m *uiModel) then(answers ...uiAnswer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers = append(m.answers, answers...)
}

// sent returns the last request.
func (m *uiModel) sent() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.asked) == 0 {
		return ""
	}
	return m.asked[len(m.asked)-1]
}

func (m *uiModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
		return
	}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	b, _ := io.ReadAll(r.Body)
	a := uiAnswer{text: "ok"}
	m.mu.Lock()
	if strings.Contains(string(b), `"search_files"`) || strings.Contains(string(b), `"read_file"`) { // a run, not a trial of the model
		m.asked = append(m.asked, string(b))
		if len(m.answers) > 0 {
			a, m.answers = m.answers[0], m.answers[1:]
		}
	}
	n := len(m.asked)
	m.mu.Unlock()
	a.play(w, r, n)
}

func (a uiAnswer) play(w http.ResponseWriter, r *http.Request, n int) {
	if a.fails {
		http.Error(w, `{"error":{"message":"it is refused"}}`, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta obj, finish any) {
		b, _ := json.Marshal(obj{"object": "chat.completion.chunk", "choices": []obj{{"index": 0, "delta": delta, "finish_reason": finish}}})
		fmt.Fprintf(w, "data: %s\n\n", b)
		w.(http.Flusher).Flush()
	}
	words := 0
	for word := range strings.SplitAfterSeq(a.text, " ") {
		if strings.Contains(word, "|") && a.hold != nil {
			select {
			case <-a.hold:
			case <-r.Context().Done():
				return
			}
		}
		if words++; words > a.quick {
			time.Sleep(a.pace)
		}
		send(obj{"content": strings.ReplaceAll(word, "|", "")}, nil)
	}
	finish := "stop"
	for i, c := range a.calls {
		finish = "tool_calls"
		send(obj{"tool_calls": []obj{{"index": i, "id": fmt.Sprintf("tc-%d-%d", n, i), "type": "function", "function": obj{"name": c.name, "arguments": c.args}}}}, nil)
	}
	send(obj{}, finish)
	fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":34}}\n\ndata: [DONE]\n\n", cmp.Or(a.uses, 1200))
}

// uiProgram is the binary that serves a page.
type uiProgram struct {
	t              testing.TB
	home, dir      string
	env            []string
	noFolder       bool // it is started without a folder
	cmd            *exec.Cmd
	address, plain string
	stderr         strings.Builder
}

var (
	namedAddress = regexp.MustCompile(`http://[0-9a-f]{32}\.localhost:\d+/#[0-9a-f]{64}`)
	plainAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+/#[0-9a-f]{64}`)
)

// startUI serves a folder of sample documents.
func startUI(t testing.TB, env ...string) *uiProgram {
	t.Helper()
	home, err := os.MkdirTemp("", "ui")
	require.NoError(t, err)
	p := &uiProgram{t: t, home: home, dir: filepath.Join(t.TempDir(), "olivares"), env: env}
	require.NoError(t, os.CopyFS(p.dir, os.DirFS(filepath.Join("..", "..", "testdata", "documents"))))
	p.start()
	t.Cleanup(func() {
		p.stop()
		// What a killed program had LibreOffice draw may still be written.
		require.Eventually(t, func() bool { return os.RemoveAll(home) == nil }, uiPatience, uiEvery)
		if t.Failed() {
			t.Logf("stderr: %s", p.stderr.String())
		}
	})
	return p
}

func (p *uiProgram) start() {
	p.t.Helper()
	withPDFReader(p.t, p.home)
	p.cmd = exec.Command(program(p.t), "ui", "--no-open", "--drain", "1s", "--home", p.home)
	if !p.noFolder {
		p.cmd.Args = append(p.cmd.Args, p.dir)
	}
	p.cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "OPENAI_BASE_URL=", "ATELIER_MODEL=")
	p.cmd.Env = append(p.cmd.Env, p.env...)
	p.run()
}

// run starts the command and reads the addresses that it prints.
func (p *uiProgram) run() {
	p.t.Helper()
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, p.cmd.Start())
	lines := bufio.NewScanner(out)
	p.address, p.plain = "", ""
	for p.plain == "" && lines.Scan() {
		if a := namedAddress.FindString(lines.Text()); a != "" {
			p.address = a
		}
		p.plain = plainAddress.FindString(lines.Text())
	}
	require.NotEmpty(p.t, p.address, "no address: %s", p.stderr.String())
	go io.Copy(io.Discard, out)
}

// stop ends the program as Ctrl-C does.
func (p *uiProgram) stop() {
	p.cmd.Process.Signal(os.Interrupt)
	late := time.AfterFunc(uiPatience, func() { p.cmd.Process.Kill() })
	defer late.Stop()
	p.cmd.Wait()
}

func (p *uiProgram) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// uiPage is a browser's tab with the page.
type uiPage struct {
	t    testing.TB
	ctx  context.Context
	mu   sync.Mutex
	seen []string // errors, console lines, and requests to elsewhere
}

// open opens an address in a new browser.
func (p *uiProgram) open(address string) *uiPage {
	p.t.Helper()
	if testing.Short() {
		p.t.Skip("starts a browser: left out with -short")
	}
	page := &uiPage{t: p.t, ctx: browserTab(p.t)}
	origin, _, _ := strings.Cut(address, "#")
	require.NoError(p.t, chromedp.Listen(page.ctx, func(ev any) {
		page.mu.Lock()
		defer page.mu.Unlock()
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; !strings.HasPrefix(u, origin) && !strings.HasPrefix(u, "blob:"+strings.TrimSuffix(origin, "/")) {
				page.seen = append(page.seen, "request: "+u)
			}
		case *runtime.EventExceptionThrown:
			text := ev.ExceptionDetails.Text
			if e := ev.ExceptionDetails.Exception; e != nil {
				text += " " + e.Description
			}
			page.seen = append(page.seen, "exception: "+text)
		case *runtime.EventConsoleAPICalled:
			page.seen = append(page.seen, fmt.Sprintf("console: %s", ev.Type))
		case *log.EventEntryAdded:
			if ev.Entry.Source != log.EntrySourceNetwork { // a server that is away is no fault of the page
				page.seen = append(page.seen, "log: "+ev.Entry.Text)
			}
		}
	}))
	command(p.t, page.ctx, network.Enable, network.EnableParams{})
	command(p.t, page.ctx, log.Enable, cdp.Empty{})
	command(p.t, page.ctx, runtime.Enable, cdp.Empty{})
	require.NoError(p.t, chromedp.Do(page.ctx, chromedp.Navigate(address)))
	p.t.Cleanup(func() {
		if p.t.Failed() {
			if b, err := chromedp.Run(page.ctx, chromedp.CaptureScreenshot()); err == nil {
				file := filepath.Join(os.TempDir(), "ui-failed-"+strings.ReplaceAll(p.t.Name(), "/", "-")+".png")
				if os.WriteFile(file, b, 0o600) == nil {
					p.t.Logf("the page then: %s; it reported %q", file, page.reported())
				}
			}
			if words, err := chromedp.Run(page.ctx, chromedp.Evaluate[string](`document.body.innerText.slice(0, 3000) + "\n" + [...document.querySelectorAll("input, textarea")].filter(e => e.value && e.offsetParent).map(e => e.getAttribute("aria-label") + ": " + JSON.stringify(e.value)).join("\n") + "\nfocus: " + document.activeElement?.outerHTML.slice(0, 200)`)); err == nil {
				p.t.Logf("it showed:\n%s", words)
			}
		}
	})
	return page
}

func (p *uiPage) reported() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.seen...)
}

// waitFor waits until an expression of JavaScript is true.
func (p *uiPage) waitFor(js, what string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+js+")"))
		return err == nil && ok
	}, uiPatience, uiEvery, what)
}

// idle waits until no run is in progress.
func (p *uiPage) idle() {
	p.t.Helper()
	p.waitFor(`document.querySelector(".progress").hidden`, "the end of the run")
}

// waitText waits until the page shows a text.
func (p *uiPage) waitText(text string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf("document.body.innerText.includes(%q)", text), text)
}

// click clicks the button or line that is called so, with the mouse.
func (p *uiPage) click(name string) {
	p.t.Helper()
	p.clickIn("body", name)
}

// clickIn is click in a part of the page.
func (p *uiPage) clickIn(part, name string) {
	p.t.Helper()
	find := fmt.Sprintf(`[...document.querySelector(%[2]q).querySelectorAll("button, summary, label, a")].filter(e => e.offsetParent && !e.disabled && (n => e.tagName === "SUMMARY" ? n.includes(%[1]q) : n.startsWith(%[1]q))((e.getAttribute("aria-label") ?? e.innerText).trim().replace(/\s+/g, " ")))`, name, part)
	p.waitFor("("+find+").length > 0", "something called "+name)
	at := eval[[]float64](p.t, p.ctx, "(() => { const e = ("+find+")[0]; e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()")
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.MouseClickXY(at[0], at[1])))
}

// field puts the focus on the field that is called so, with the mouse.
func (p *uiPage) field(name string) {
	p.t.Helper()
	sel := fmt.Sprintf(`[aria-label=%q]`, name)
	p.waitFor(fmt.Sprintf("document.querySelector(%q)?.offsetParent", sel), "a field "+name)
	require.Eventually(p.t, func() bool { // again if what came above it has moved it
		require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Click(chromedp.CSS(sel))))
		return eval[bool](p.t, p.ctx, fmt.Sprintf("document.activeElement === document.querySelector(%q)", sel))
	}, uiPatience, uiEvery, "the focus on "+name)
}

func (p *uiPage) keys(keys string) {
	p.t.Helper()
	press(p.t, p.ctx, keys)
}

// say types a message and sends it.
func (p *uiPage) say(text string) {
	p.t.Helper()
	p.field("Your message")
	p.keys(text + "\r")
}

func (p *uiPage) text(selector string) string {
	p.t.Helper()
	return eval[string](p.t, p.ctx, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector))
}

// scheme chooses light or dark.
func (p *uiPage) scheme(name string) {
	p.t.Helper()
	command(p.t, p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
	time.Sleep(300 * time.Millisecond) // what is drawn in colours of the file is drawn again
}

func (p *uiPage) size(width, height int64) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.EmulateViewport(width, height)))
}

// picture takes a screenshot where that was asked for.
func (p *uiPage) picture(name string) {
	p.t.Helper()
	if *uiPictures == "" {
		return
	}
	time.Sleep(300 * time.Millisecond)
	b, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(filepath.Join(*uiPictures, name+".png"), b, 0o644))
}

// inOrder checks what holds on every screen: names, contrast, nothing beside the
// window, no id twice.
func (p *uiPage) inOrder(what string) {
	p.t.Helper()
	require.Empty(p.t, eval[[]string](p.t, p.ctx, jsNameless), what)
	require.Empty(p.t, eval[[]string](p.t, p.ctx, jsContrast), what)
	require.Empty(p.t, eval[[]string](p.t, p.ctx, jsSideways), what)
	require.True(p.t, eval[bool](p.t, p.ctx, `!document.querySelector(".page") || document.documentElement.scrollHeight <= document.documentElement.clientHeight`), "%s: the page scrolls as a whole", what)
	require.Empty(p.t, eval[[]string](p.t, p.ctx, `(() => { const ids = [...document.querySelectorAll("[id]")].map(e => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i) })()`), what)
}

// jsNameless lists what can have the focus, and pictures, without a name.
const jsNameless = `[...document.querySelectorAll("a, button, img, summary, input, select, textarea, dialog, [role=region], [role=tabpanel], [tabindex='0']")]
	.filter(e => !e.hidden && !e.textContent.trim() && !e.getAttribute("aria-label") && !e.getAttribute("alt") && !e.getAttribute("aria-labelledby") && !e.closest("label") && !(e.tagName === "SELECT" && e.labels?.length))
	.map(e => e.outerHTML.slice(0, 120))`
