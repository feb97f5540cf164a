//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest/history"
	"atelier/internal/replica/stream"
)

// clients write and read files of all workspaces through all servers, and note what they see.
type clients struct {
	g   *faultRig
	h   *history.Recorder
	ctx context.Context
	end context.CancelFunc
	all sync.WaitGroup

	mu        sync.Mutex
	last      map[string]string // the value of each file that was read or written last
	ids       map[string]string // of files
	dates     map[string]string // Last-Modified of files, of whichever version
	odd       map[string]int    // answers that no fault explains
	drafts    map[history.Outcome]int
	takeovers []takeover
}

// takeover is how long after a fault of its server a workspace acknowledged a write elsewhere.
type takeover struct {
	fault string
	took  time.Duration
	alone bool // no other fault began meanwhile
}

const filesEach = 3 // that are written again and again in each workspace

func (g *faultRig) clients(n int) *clients {
	c := &clients{g: g, h: history.NewRecorder(), last: map[string]string{}, ids: map[string]string{}, dates: map[string]string{}, odd: map[string]int{}, drafts: map[history.Outcome]int{}}
	c.ctx, c.end = context.WithCancel(g.t.Context())
	for id := range n {
		rnd := rand.New(rand.NewPCG(rand.Uint64(), 0))
		c.all.Go(func() {
			for i := 0; c.ctx.Err() == nil; i++ {
				w := g.workspaces[rnd.IntN(len(g.workspaces))]
				o := history.Op{Client: id, File: fmt.Sprintf("%s/f%d.txt", w, rnd.IntN(filesEach)), Value: fmt.Sprintf("%d-%d", id, i)}
				switch kind := rnd.IntN(20); {
				case kind < 7:
					o.Kind = history.Put
				case kind < 9: // several try to make the same file
					o.Kind, o.File = history.Create, fmt.Sprintf("%s/new%d.txt", w, time.Duration(c.h.Now())/(10*time.Second))
				case kind < 11:
					o.Kind, o.Base = history.Swap, c.lastOf(o.File)
				case kind < 14: // made, read and removed by several, one file after the other
					o.File = fmt.Sprintf("%s/gone%d.txt", w, time.Duration(c.h.Now())/(4*time.Second))
					if o.Kind = []history.Kind{history.Create, history.Get, history.Remove}[kind-11]; o.Kind != history.Create {
						o.Value = ""
					}
				default:
					o.Kind, o.Value = history.Get, ""
				}
				server, within := rnd.IntN(len(g.addresses)), time.Duration(1+rnd.IntN(8))*time.Second
				if o.Kind == history.Remove && rnd.IntN(2) == 0 {
					c.removeByDraft(o, server, within)
				} else {
					c.do(o, server, within)
				}
				time.Sleep(time.Duration(rnd.IntN(20)) * time.Millisecond)
			}
		})
	}
	return c
}

func (c *clients) lastOf(file string) string { c.mu.Lock(); defer c.mu.Unlock(); return c.last[file] }

// do carries out an operation at a server, and notes it.
func (c *clients) do(o history.Op, server int, within time.Duration) history.Op {
	if o.Kind == history.Swap && o.Base == "" {
		o.Kind = history.Put
	}
	workspace, name, _ := strings.Cut(o.File, "/")
	ctx, cancel := context.WithTimeout(c.ctx, within)
	defer cancel()
	method, path, content := "PUT", file(name), o.Value
	switch o.Kind {
	case history.Get:
		method = "GET"
	case history.Remove:
		method, path, content = "POST", "/tools", `{"tool":"rm","args":{"path":"/`+name+`"}}`
	}
	req, err := http.NewRequestWithContext(ctx, method, c.g.addresses[server]+"/api/v1/workspaces/"+workspace+path, strings.NewReader(content))
	require.NoError(c.g.t, err)
	req.Header.Set("Authorization", "Bearer "+c.g.token)
	switch o.Kind {
	case history.Get: // dates decide nothing: servers' clocks differ, and one second has several versions
		c.mu.Lock()
		if date := c.dates[o.File]; date != "" {
			req.Header.Set("If-Modified-Since", date)
		}
		c.mu.Unlock()
	case history.Remove:
		req.Header.Set("Content-Type", "application/json")
	case history.Create:
		req.Header.Set("If-None-Match", "*")
	case history.Swap:
		sum := sha256.Sum256([]byte(o.Base))
		req.Header.Set("If-Match", `"`+hex.EncodeToString(sum[:])+`"`)
	}
	o.Began, o.Outcome = c.h.Now(), history.Unknown
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		var body []byte
		body, err = io.ReadAll(res.Body)
		res.Body.Close()
		switch status := res.StatusCode; {
		case err != nil:
		case status == http.StatusOK:
			o.Outcome = history.Done
			switch o.Kind {
			case history.Get:
				o.Value = string(body)
				c.mu.Lock()
				c.dates[o.File] = res.Header.Get("Last-Modified")
				c.mu.Unlock()
			case history.Remove:
			default:
				c.noteID(o.File, body)
			}
		case status == http.StatusNotFound && o.Kind == history.Get:
			o.Outcome = history.Done
		case status == http.StatusNotFound && o.Kind == history.Remove:
			o.Outcome = history.Refused
		case status == http.StatusPreconditionFailed && (o.Kind == history.Create || o.Kind == history.Swap):
			o.Outcome = history.Refused
		case status != http.StatusConflict && status != http.StatusServiceUnavailable:
			c.mu.Lock()
			c.odd[fmt.Sprintf("%s: %d %s", o.Kind, status, body)]++
			c.mu.Unlock()
		}
	}
	o.Ended = c.h.Now()
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		time.Sleep(50 * time.Millisecond)
		return o // nobody heard of it
	}
	if c.ctx.Err() != nil && o.Kind == history.Get && o.Outcome != history.Done {
		return o
	}
	c.h.Add(o)
	if o.Outcome == history.Done && o.Value != "" {
		c.mu.Lock()
		c.last[o.File] = o.Value
		c.mu.Unlock()
	}
	return o
}

// noteID notes the id of a file, from the answer to a write.
func (c *clients) noteID(file string, answer []byte) {
	var made struct {
		Result struct {
			FileID string `json:"file_id"`
		} `json:"result"`
	}
	require.NoError(c.g.t, json.Unmarshal(answer, &made), "%s", answer)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids[file] = made.Result.FileID
}

// probe writes to a workspace through the servers but one until a write is acknowledged.
func (c *clients) probe(f fault, workspace string, but int) (wait func()) {
	begun, done, faults := time.Now(), make(chan struct{}), c.g.begun.Load()+1
	c.all.Go(func() {
		defer close(done)
		for i := 0; c.ctx.Err() == nil; i++ {
			server := (but + 1 + i%(len(c.g.addresses)-1)) % len(c.g.addresses)
			o := c.do(history.Op{Client: 100, File: workspace + "/probe.txt", Kind: history.Put, Value: fmt.Sprintf("%s-%d-%d", f.name, begun.UnixNano(), i)}, server, 20*time.Second)
			if o.Outcome == history.Done {
				c.mu.Lock()
				c.takeovers = append(c.takeovers, takeover{f.name, time.Since(begun), c.g.begun.Load() == faults})
				c.mu.Unlock()
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	return func() { <-done }
}

// check ends the clients and checks everything that they saw.
func (c *clients) check() {
	t := c.g.t
	t.Helper()
	for _, fault := range c.found() {
		t.Error(fault)
	}
	for answer, n := range c.odd {
		t.Errorf("%d answers: %s", n, answer)
	}
	for _, w := range c.g.workspaces {
		checkFences(t, c.g.urls, w)
	}
}

// found ends the clients and returns what is wrong with what they saw.
func (c *clients) found() []string {
	t := c.g.t
	t.Helper()
	c.end()
	c.all.Wait()
	c.ctx = t.Context()
	for i, name := range history.Files(c.h.Ops()) { // a last write, whose answer has the id
		end, last := time.Now().Add(time.Minute), history.Op{Client: 200, File: name, Kind: history.Put}
		if removable(name) {
			last.Kind = history.Get
		}
		for n := 0; c.do(withValue(last, fmt.Sprintf("last-%d", n)), (i+n)%len(c.g.addresses), 20*time.Second).Outcome != history.Done; n++ {
			if time.Now().After(end) {
				c.g.tell()
				require.Fail(t, name+" cannot be written")
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	ops := c.h.Ops()
	versions := map[string][]string{}
	removed := 0
	for _, o := range ops {
		if o.Kind == history.Remove && o.Outcome == history.Done {
			removed++
		}
	}
	for _, name := range history.Files(ops) {
		if removable(name) {
			continue // the checker needs no list
		}
		versions[name] = c.g.versions(name, c.ids[name], ops)
	}
	counts := history.Counts(ops)
	t.Logf("%d files with versions, %d files removed, %d operations done, %d refused by their condition, %d unknown", len(versions), removed, counts[history.Done], counts[history.Refused], counts[history.Unknown])
	t.Logf("removed in the draft and published: %d, perhaps: %d", c.drafts[history.Done], c.drafts[history.Unknown])
	require.Positive(t, counts[history.Done])
	return history.Check(ops, versions)
}

// removable reports whether a file is one that clients remove.
func removable(file string) bool { return strings.Contains(file, "/gone") }

// withValue gives a write its value.
func withValue(o history.Op, value string) history.Op {
	if o.Kind == history.Put {
		o.Value = value
	}
	return o
}

// versions are the values that a file had, the oldest first.
func (g *faultRig) versions(name, id string, ops []history.Op) (values []string) {
	workspace, _, _ := strings.Cut(name, "/")
	byHash := map[string]string{}
	for _, o := range ops {
		if o.File == name && o.Value != "" {
			sum := sha256.Sum256([]byte(o.Value))
			byHash[hex.EncodeToString(sum[:])] = o.Value
		}
	}
	for before := ""; ; {
		var list struct {
			Result struct {
				Versions []struct {
					VersionID string `json:"version_id"`
					Hash      string `json:"hash"`
				} `json:"versions"`
				Before string `json:"before"`
			} `json:"result"`
		}
		answer := g.until(workspace, "GET", "/files/"+id+"/versions?limit=1000&before="+url.QueryEscape(before))
		require.NoError(g.t, json.Unmarshal([]byte(answer), &list), answer)
		for _, v := range list.Result.Versions {
			value := byHash[v.Hash]
			if value == "" {
				value = "hash " + v.Hash
			}
			values = append(values, value)
		}
		if before = list.Result.Before; before == "" {
			break
		}
	}
	slices.Reverse(values)
	return values
}

// until asks any server until one answers, for a minute; "" is that there is none.
func (g *faultRig) until(workspace, method, path string) string {
	g.t.Helper()
	var status int
	var answer string
	for i, end := 0, time.Now().Add(time.Minute); time.Now().Before(end); i++ {
		r := g.at(i%len(g.addresses), workspace)
		ctx, cancel := context.WithTimeout(g.t.Context(), 20*time.Second)
		status, answer = r.request(ctx, r.each[0], method, path, "")
		cancel()
		switch status {
		case http.StatusOK:
			return answer
		case http.StatusNotFound:
			return ""
		}
		time.Sleep(100 * time.Millisecond)
	}
	require.FailNow(g.t, "no server answered", "%s %s: %d %s", method, path, status, answer)
	return ""
}

// checkFences: in the log of a workspace each record has the number after the one before it,
// or is the first of a later owner; so no owner added one after its successor had begun.
func checkFences(t testing.TB, urls []string, workspace string) {
	t.Helper()
	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: urls, Name: "test"})
	require.NoError(t, err)
	defer c.Close()
	s, err := stream.Open(t.Context(), c)
	require.NoError(t, err)
	decoder, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer decoder.Close()
	type record struct{ Fence, Number uint64 }
	var last record
	owners := 0
	_, err = s.Log(workspace).Read(t.Context(), func(at uint64, message []byte) error {
		b, err := decoder.DecodeAll(message, nil)
		if err != nil {
			return err
		}
		n, used := binary.Uvarint(b)
		var rec record
		if err := json.NewDecoder(bytes.NewReader(b[used : used+int(n)])).Decode(&rec); err != nil {
			return err
		}
		switch {
		case rec.Fence > last.Fence && rec.Number == 1, last == record{}:
			owners++
		case rec.Fence == last.Fence && rec.Number > last.Number: // numbers of what was not stored are left out
		default:
			assert.Fail(t, "two owners at once", "%s: message %d is record %d of ownership %d, after %d of %d", workspace, at, rec.Number, rec.Fence, last.Number, last.Fence)
		}
		last = rec
		return nil
	})
	require.NoError(t, err)
	require.Positive(t, owners)
	t.Logf("workspace %s: %d owners in its log, the last is the %dth", workspace, owners, last.Fence)
}

// tellTakeovers logs the times of takeovers, those with one fault alone apart.
func tellTakeovers(t *testing.T, all []takeover) {
	alone := slices.DeleteFunc(slices.Clone(all), func(v takeover) bool { return !v.alone })
	tellTimes(t, "all", all)
	tellTimes(t, "no other fault meanwhile", alone)
}

func tellTimes(t *testing.T, which string, all []takeover) {
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b takeover) int { return int(a.took - b.took) })
	at := func(percent int) float64 { return all[max(1, (len(all)*percent+99)/100)-1].took.Seconds() }
	t.Logf("%d takeovers (%s, lease %s): median %.1f s, 99th percentile %.1f s, longest %.1f s after %s", len(all), which, nodesLease(), at(50), at(99), at(100), all[len(all)-1].fault)
	var list []string
	for _, v := range all {
		list = append(list, fmt.Sprintf("%.2f", v.took.Seconds()))
	}
	t.Logf("takeovers: %s", strings.Join(list, " "))
}
