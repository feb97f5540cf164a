package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop"
)

var ctx = context.Background()

// world answers for every name, so that nothing really leaves the machine, and
// counts.
type world struct {
	*httptest.Server
	requests, in, out atomic.Int64
	answer            http.HandlerFunc
}

func newWorld(t *testing.T, answer http.HandlerFunc) (*world, http.RoundTripper) {
	w := &world{answer: answer}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.requests.Add(1)
		b, _ := io.ReadAll(r.Body)
		w.in.Add(int64(len(b)))
		w.answer(counting{rw, &w.out}, r)
	}))
	t.Cleanup(w.Close)
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, w.Listener.Addr().String())
	}
	base := &http.Transport{DialContext: dial}
	t.Cleanup(base.CloseIdleConnections)
	return w, base
}

type counting struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c counting) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n.Add(int64(n))
	return n, err
}

func post(t *testing.T, ctx context.Context, rt http.RoundTripper, address, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer sk-secret")
	resp, err := (&http.Client{Transport: rt}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// TestNothingPassesWithoutAllowance: what is not allowed sends no byte, however
// it is asked for, and what is allowed has a row whose bytes are the server's.
func TestNothingPassesWithoutAllowance(t *testing.T) {
	w, base := newWorld(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://evil.example.com/x", http.StatusTemporaryRedirect)
		case "/here":
			http.Redirect(w, r, "http://127.0.0.1:9/x", http.StatusTemporaryRedirect)
		case "/on":
			http.Redirect(w, r, "/x", http.StatusTemporaryRedirect)
		case "/plain":
			http.Redirect(w, r, "http://api.example.com:80/x", http.StatusPermanentRedirect)
		default:
			io.WriteString(w, strings.Repeat("answer", 1000))
		}
	})
	log := openLog(t)
	rt := New(Options{Base: base, Logs: func(string) (*Log, error) { return log, nil }})
	api := Purpose{Kind: KindRun, Provider: "p", Model: "m", ScopeHash: "h", Origin: "http://api.example.com:8080", Files: []string{"a.txt"}}
	for name, c := range map[string]struct {
		ctx     context.Context
		address string
	}{
		"no purpose":      {ctx, "http://api.example.com:8080/v1"},
		"no consent":      {With(ctx, Purpose{Kind: KindRun}), "http://api.example.com:8080/v1"},
		"another host":    {With(ctx, api), "http://evil.example.com:8080/v1"},
		"another port":    {With(ctx, api), "http://api.example.com:9090/v1"},
		"private address": {With(ctx, api), "http://192.168.1.7/v1"},
	} {
		_, err := post(t, c.ctx, rt, c.address, "document")
		var refused *Refused
		require.ErrorAs(t, err, &refused, name)
		require.False(t, refused.Policy)
		var model *llm.Error
		require.ErrorAs(t, err, &model)
		require.False(t, model.Retryable(), "asking again changes nothing")
		var fault *workshop.Fault
		require.ErrorAs(t, err, &fault)
		require.Equal(t, workshop.Forbidden, fault.Code)
	}
	require.Zero(t, w.requests.Load(), "nothing was sent")

	got, err := post(t, With(ctx, api), rt, "http://api.example.com:8080/v1", "document")
	require.NoError(t, err)
	require.Len(t, got, 6000)
	events, dropped, err := log.Events(ctx, 0, 100)
	require.NoError(t, err)
	require.Zero(t, dropped)
	require.Len(t, events, 6)
	for _, e := range events[:5] {
		require.Equal(t, "refused", e.Error)
		require.Zero(t, e.BytesOut)
		require.True(t, e.Ended)
	}
	e := events[5]
	require.Equal(t, w.in.Load(), e.BytesOut)
	require.Equal(t, w.out.Load(), e.BytesIn)
	require.EqualValues(t, 8, e.BytesOut)
	e.ID, e.At, e.Elapsed = 0, time.Time{}, 0
	require.Equal(t, Event{Kind: KindRun, Provider: "p", Model: "m", Workbench: "w1", Host: "api.example.com:8080", ScopeHash: "h",
		Files: []string{"a.txt"}, FileCount: 1, BytesOut: 8, BytesIn: 6000, Status: 200, Ended: true}, e)

	// What it carries of other files than those consented to keeps all of it here.
	before := w.requests.Load()
	holds := api
	holds.Withheld = []string{"1", "2", "3", "4", "5", "6"}
	_, err = post(t, With(ctx, holds), rt, "http://api.example.com:8080/v1", "document")
	var withheld *Refused
	require.ErrorAs(t, err, &withheld)
	require.Equal(t, holds.Withheld, withheld.Files)
	require.ErrorContains(t, err, "what was read earlier of 1, 2, 3, 4, 5 and 1 more")
	require.Equal(t, before, w.requests.Load())

	for _, path := range []string{"/away", "/plain", "/here"} {
		_, err = post(t, With(ctx, api), rt, "http://api.example.com:8080"+path, "document")
		require.ErrorContains(t, err, "no consent", path)
	}
	require.Equal(t, before+3, w.requests.Load(), "the redirects were not followed")
	_, err = post(t, With(ctx, api), rt, "http://api.example.com:8080/on", "document")
	require.NoError(t, err, "one that stays")

	// This machine needs no consent, and has a row that says so.
	_, err = post(t, ctx, New(Options{Logs: func(string) (*Log, error) { return log, nil }}), w.URL, "document")
	require.NoError(t, err)
	events, _, err = log.Events(ctx, events[5].ID, 100)
	require.NoError(t, err)
	last := events[len(events)-1]
	require.True(t, last.Local)
	require.Equal(t, KindUnknown, last.Kind)
}

func TestLocalOnlyRefusesWhatIsAllowed(t *testing.T) {
	w, base := newWorld(t, func(http.ResponseWriter, *http.Request) {})
	log := openLog(t)
	rt := New(Options{Base: base, LocalOnly: true, Logs: func(string) (*Log, error) { return log, nil }})
	for _, p := range []Purpose{{Kind: KindRun, Origin: "http://api.example.com:80"}, {Kind: KindFetch, Origin: "http://api.example.com:80"}} {
		_, err := post(t, With(ctx, p), rt, "http://api.example.com/v1", "x")
		var refused *Refused
		require.ErrorAs(t, err, &refused)
		require.True(t, refused.Policy)
	}
	require.Zero(t, w.requests.Load())
}

// What cannot be logged is not sent.
func TestNoLogNoRequest(t *testing.T) {
	w, base := newWorld(t, func(http.ResponseWriter, *http.Request) {})
	log := openLog(t)
	require.NoError(t, log.Close())
	rt := New(Options{Base: base, Logs: func(string) (*Log, error) { return log, nil }})
	_, err := post(t, With(ctx, Purpose{Kind: KindRun, Origin: "http://api.example.com:80"}), rt, "http://api.example.com/v1", "x")
	require.ErrorContains(t, err, "cannot be written")
	var unlogged *Unlogged
	require.ErrorAs(t, err, &unlogged)
	require.Zero(t, w.requests.Load())

	full := openLog(t)
	_, err = full.db.Exec(`PRAGMA max_page_count=1`) // no more than there are
	require.NoError(t, err)
	rt = New(Options{Base: base, Logs: func(string) (*Log, error) { return full, nil }})
	for range 1000 {
		if _, err = post(t, With(ctx, Purpose{Kind: KindRun, Origin: "http://api.example.com:80"}), rt, "http://api.example.com/v1", "x"); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, workshop.ErrDiskFull)
	events, _, lerr := full.Events(ctx, 0, 1000)
	require.NoError(t, lerr)
	require.EqualValues(t, len(events), w.requests.Load(), "each that was sent has its row")
}

// A row is there before the answer is, failures and repetitions are marked, and
// no row has the key or the path of an address.
func TestRowsOfTrouble(t *testing.T) {
	log := openLog(t)
	n := 0
	_, base := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		n++
		events, _, err := log.Events(ctx, 0, 100)
		if err != nil || len(events) != n || events[n-1].Ended {
			rw.WriteHeader(http.StatusTeapot)
			return
		}
		switch n {
		case 1:
			rw.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			rw.Header().Set("Content-Length", "100")
			io.WriteString(rw, "cut")
			rw.(counting).ResponseWriter.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		default:
			io.WriteString(rw, "fine")
		}
	})
	rt := New(Options{Base: base, Logs: func(string) (*Log, error) { return log, nil }})
	c := With(ctx, Purpose{Kind: KindRun, Origin: "http://api.example.com:80"})
	for range 4 {
		_, _ = post(t, c, rt, "http://api.example.com/v1?key=secret", "x") // the rows say how it went
	}
	events, _, err := log.Events(ctx, 0, 100)
	require.NoError(t, err)
	type row struct {
		status  int
		in      int64
		retried bool
		err     string
	}
	var got []row
	for _, e := range events {
		got = append(got, row{e.Status, e.BytesIn, e.Retried, e.Error})
		require.Equal(t, "api.example.com", e.Host)
	}
	require.Equal(t, []row{{503, 0, false, ""}, {200, 3, true, "connection lost"}, {200, 4, true, ""}, {200, 4, false, ""}}, got)

	down := New(Options{Base: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: errors.New("refused at secret")}
	}}, Logs: func(string) (*Log, error) { return log, nil }})
	_, err = post(t, c, down, "http://api.example.com/v1", "x")
	require.Error(t, err)
	events, _, err = log.Events(ctx, 4, 100)
	require.NoError(t, err)
	require.Equal(t, "not reachable", events[0].Error)
}
