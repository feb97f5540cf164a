//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/ipc/ws"
)

// balancer passes connections on to the first server of a list that takes them.
type balancer struct {
	net.Listener
	mu sync.Mutex
	to []string // HOST:PORT
}

func startBalancer(t *testing.T) *balancer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := &balancer{Listener: l}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go b.pass(in)
		}
	}()
	return b
}

func (b *balancer) origin() string { return "http://" + b.Addr().String() }

// order says which servers are tried, the first one first.
func (b *balancer) order(nodes ...*httpNode) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.to = nil
	for _, n := range nodes {
		b.to = append(b.to, strings.TrimPrefix(n.url, "http://"))
	}
}

func (b *balancer) pass(in net.Conn) {
	defer in.Close()
	b.mu.Lock()
	to := b.to
	b.mu.Unlock()
	for _, addr := range to {
		out, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			continue
		}
		defer out.Close()
		go func() { io.Copy(out, in); out.Close() }()
		io.Copy(in, out)
		return
	}
}

// clusterUI is the page over two servers and a balancer.
type clusterUI struct {
	*httpNodes
	m  *uiModel
	lb *balancer
}

func startClusterUI(t *testing.T) *clusterUI {
	m, lb := newUIModel(t), startBalancer(t)
	u := &clusterUI{startNodes(t, 1, 2, []string{"--lease", "8s", "--ui", "--ui-origin", lb.origin()}, "OPENAI_BASE_URL="+m.URL+"/v1", "ATELIER_MODEL=scripted"), m, lb}
	u.must(u.each, "PUT", file("a.md"), "Before.\n")
	owner, others := u.owner()
	lb.order(others[0], owner) // the page is on the server that has not the workspace
	return u
}

// enter opens the page and signs in.
func (u *clusterUI) enter(origin string) *uiPage {
	u.t.Helper()
	page := (&uiProgram{t: u.t}).open(origin + "/")
	page.waitText("Sign in to Atelier")
	page.waitFor(`document.activeElement?.id === "token"`, "the field has the focus")
	command(u.t, page.ctx, input.InsertText, input.InsertTextParams{Text: u.token})
	page.keys("\r")
	page.click("One")
	page.waitText("What should be done?")
	return page
}

// TestUICluster: the page works over a server that has not the workspace. When the one that
// has it dies in a run, the page tells it and follows the run to its end on the next one; so
// it does when the server dies that it is connected to. A session counts on all servers.
func TestUICluster(t *testing.T) {
	campaign.Slow(t)
	u := startClusterUI(t)
	owner, others := u.owner()
	page := u.enter(u.lb.origin())

	// The owner dies in a run.
	never := make(chan struct{})
	u.m.then(uiAnswer{text: "I write it.", calls: []uiCall{{"write_text_file", `{"path":"new.md","content":"New.\n"}`}}}, uiAnswer{text: "It was |written.", hold: never})
	page.say("Write it.")
	page.waitText("It was")
	page.waitText("Review 1")
	u.m.then(uiAnswer{text: "All of it is **written**."})
	u.kill(owner)
	page.waitFor(`/another server …/.test(document.querySelector(".lost").textContent) || document.querySelector(".lost").textContent === "Another server has taken over."`, "the status tells that the server is away")
	page.picture("cluster-away")
	page.waitFor(`document.querySelector(".lost").textContent === "Another server has taken over."`, "the status tells that another one continues")
	page.picture("cluster-moved")
	page.waitText("All of it is written.")
	page.idle()
	require.Equal(t, 1, strings.Count(page.text("body"), "Write it."), "the message is there once")
	page.waitFor(`document.querySelector(".lost").textContent === ""`, "what the status told is over")
	now, _ := u.owner()
	require.Equal(t, others[0].url, now.url)

	// The page's own server dies; the other one is there again.
	u.run(owner)
	u.lb.order(now, owner)
	u.m.then(uiAnswer{text: "Said."})
	page.say("Say something.")
	page.waitText("Said.")
	page.idle()
	u.kill(now)
	u.lb.order(owner)
	page.waitFor(`document.querySelector(".lost").textContent === "Another server has taken over."`, "the status tells that another one continues")
	page.waitText("All of it is written.")
	page.click("Review 1")
	page.clickIn("#pane-changes", "Publish all")
	page.waitText("Published")
	require.Equal(t, "New.\n", u.must([]*httpNode{owner}, "GET", file("new.md"), ""))
	page.picture("cluster-published")
	page.inOrder("after two takeovers")

	// After a reload the same workspace is shown; signing out ends the session on each server.
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitText("All of it is written.")
	u.run(now)
	u.lb.order(now, owner)
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitText("All of it is written.")
	page.click("Sign out")
	page.waitText("Sign in to Atelier")
	require.Empty(t, page.reported())
}

// TestUIClusterLostAnswer: what a person asked of a server that then did not answer is told,
// with what to do, and is not shown as done; done again, it is done.
func TestUIClusterLostAnswer(t *testing.T) {
	campaign.Slow(t)
	u := startClusterUI(t)
	owner, _ := u.owner()
	page := u.enter(u.lb.origin())
	u.m.then(uiAnswer{text: "I write it.", calls: []uiCall{{"write_text_file", `{"path":"new.md","content":"New.\n"}`}}}, uiAnswer{text: "It is written."})
	page.say("Write it.")
	page.waitText("It is written.")
	page.idle()
	page.click("Review 1")
	page.waitFor(`[...document.querySelectorAll("#pane-changes button")].some(e => e.innerText.startsWith("Publish all") && e.offsetParent)`, "a way to publish")
	require.NoError(t, owner.cmd.Process.Signal(syscall.SIGSTOP))
	page.clickIn("#pane-changes", "Publish all")
	page.say("Say more.")
	page.waitText("Publishing, Sending: no answer came")
	page.waitText("Your message is still in its field: send it again.")
	require.Equal(t, "Say more.", eval[string](t, page.ctx, `document.getElementById("composer").value`))
	page.picture("cluster-lost-answer")
	page.inOrder("an answer was lost")
	require.NotContains(t, page.text("#pane-changes"), "Published")
	require.NoError(t, owner.cmd.Process.Signal(syscall.SIGCONT))
	page.click("Close")
	page.clickIn("#pane-changes", "Publish all")
	page.waitText("Published")
	require.Equal(t, "New.\n", u.must(u.each, "GET", file("new.md"), ""))
	u.m.then(uiAnswer{text: "Said."})
	page.say("")
	page.waitText("Said.")
	require.Equal(t, 1, strings.Count(page.text("body"), "Say more."), "the message is there once")
	require.Empty(t, page.reported())
}

// TestHTTPClusterPageFromElsewhere: each server takes the page at its own address and at
// --ui-origin only, whatever a request says about other servers, and a session of one server
// counts on the other until it is ended.
func TestHTTPClusterPageFromElsewhere(t *testing.T) {
	campaign.Slow(t)
	const balanced = "https://atelier.example.org"
	r := startNodes(t, 1, 2, []string{"--ui", "--ui-origin", balanced})
	r.must(r.each, "PUT", file("a.md"), "x")
	cookie := ""
	try := func(n *httpNode, method, path, origin string, headers ...string) int {
		b, err := json.Marshal(obj{"token": r.token})
		require.NoError(t, err)
		req, err := http.NewRequestWithContext(t.Context(), method, n.url+path, strings.NewReader(string(b)))
		require.NoError(t, err)
		if req.Host = strings.TrimPrefix(strings.TrimPrefix(origin, "http://"), "https://"); origin != "" {
			req.Header.Set("Origin", origin)
		}
		req.Header.Set("Cookie", cookie)
		for i := 0; i < len(headers); i += 2 {
			if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
				req.Host = headers[i+1]
			}
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		res.Body.Close()
		for _, c := range res.Cookies() {
			cookie = c.Name + "=" + c.Value
		}
		return res.StatusCode
	}
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}
	socket := "/session/ws?workspace=" + r.workspace
	for i, n := range r.each {
		other := r.each[1-i]
		require.Equal(t, 204, try(n, "POST", "/session", n.url), "at its own address")
		require.Equal(t, 204, try(n, "POST", "/session", balanced))
		for _, passed := range [][]string{nil, {"Atelier-Passed-On", "a"}} {
			require.Equal(t, 421, try(n, "POST", "/session", "http://evil.example", passed...))
			require.Equal(t, 421, try(n, "POST", "/session", other.url, passed...), "the address of the other server")
			require.Equal(t, 421, try(n, "GET", socket, "http://evil.example", append(passed, upgrade...)...))
			require.Equal(t, 403, try(n, "GET", socket, "http://evil.example", append(append(passed, "Host", strings.TrimPrefix(n.url, "http://")), upgrade...)...))
		}
		require.Equal(t, 101, try(n, "GET", socket, n.url, upgrade...))
		require.Equal(t, 101, try(other, "GET", socket, balanced, upgrade...), "the session of the other server")
	}
	require.Equal(t, 204, try(r.each[0], "POST", "/session", r.each[0].url))
	kept := cookie
	require.Equal(t, 204, try(r.each[1], "POST", "/session/end", r.each[1].url))
	cookie = kept
	// It is told over the connection, since browsers do not tell a page the status of another answer.
	c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(r.each[0].url, "http")+socket, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {r.each[0].url}, "Cookie": {cookie}}})
	require.NoError(t, err)
	defer c.CloseNow()
	_, _, err = c.Read(t.Context())
	require.Equal(t, ws.StatusNotAdmitted, websocket.CloseStatus(err), "a session that was ended on the other server")
}
