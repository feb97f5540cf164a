package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/campaign"
	"atelier/ipc/accounts"
)

const (
	loadUsers      = 50
	loadWorkspaces = 20
)

// load is a served engine with many users, and the facts that must hold.
type load struct {
	*rig
	base   string
	client *http.Client
	spaces []*loadSpace
	until  time.Time // zero: each user makes a fixed number of calls

	calls, conflicts atomic.Int64
	mu               sync.Mutex // protects times
	times            []time.Duration
}

// loadSpace is a workspace with the writes of its members.
type loadSpace struct {
	id string

	mu       sync.Mutex     // protects the fields below
	versions map[string]int // successful writes by path
	lines    []string       // added to the shared file
}

func (s *loadSpace) wrote(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions[path]++
}

// TestH17Load: isolation and completeness under load, with many users in many
// workspaces and mixed calls. No user ever sees another workspace's content,
// no version is lost, and of edits based on the same hash one succeeds.
// ATELIER_LOAD=1 makes it a minute long.
func TestH17Load(t *testing.T) {
	campaign.Slow(t)
	l := newLoad(t)
	if os.Getenv("ATELIER_LOAD") != "" {
		l.until = time.Now().Add(time.Minute)
	}
	ctx, stop := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l.base = "http://" + listener.Addr().String()
	served := make(chan error, 1)
	go func() { served <- l.srv.Serve(ctx, listener) }()

	for _, s := range l.spaces {
		u := loadUser{load: l, token: l.annToken, space: s, path: "/shared.txt", mark: "ann"}
		u.write()
		s.lines = []string{u.content()}
	}
	begun := time.Now()
	var wg sync.WaitGroup
	for n := range loadUsers {
		u, err := l.accounts.AddUser(ctx, fmt.Sprintf("u%d@example.org", n), "")
		require.NoError(t, err)
		mine := l.join(u, n)
		token := l.token(u)
		wg.Go(func() { l.work(n, token, mine) })
	}
	wg.Wait()
	took := time.Since(begun)
	l.check()
	stop()
	require.NoError(t, <-served)
	slices.Sort(l.times)
	at := func(q float64) time.Duration { return l.times[int(q*float64(len(l.times)-1))] }
	t.Logf("%d calls in %s (%.0f/s), %d conflicts; p50 %s, p99 %s, longest %s", l.calls.Load(), took.Round(time.Millisecond),
		float64(l.calls.Load())/took.Seconds(), l.conflicts.Load(), at(.5), at(.99), at(1))
}

func newLoad(t *testing.T) *load {
	l := &load{rig: newRig(t, func(o *Options) { o.Tools = o.Engine.(*engine.Engine).Live() }),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: loadUsers}}}
	for n := range loadWorkspaces {
		l.spaces = append(l.spaces, &loadSpace{id: l.workspace(fmt.Sprint("W", n), l.ann), versions: map[string]int{}})
	}
	return l
}

// join makes a user a member of four workspaces; the user may not use the
// others.
func (l *load) join(u accounts.User, n int) []*loadSpace {
	var mine []*loadSpace
	for k := range 4 {
		s := l.spaces[(n+k*5)%loadWorkspaces]
		_, err := l.accounts.AddMember(context.Background(), s.id, u.ID)
		require.NoError(l.t, err)
		mine = append(mine, s)
	}
	return mine
}

// work makes a user's calls.
func (l *load) work(n int, token string, mine []*loadSpace) {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	rounds := campaign.Of(24, 24)
	for i := 0; ; i++ {
		if l.until.IsZero() && i >= rounds || !l.until.IsZero() && time.Now().After(l.until) || l.t.Failed() {
			return
		}
		u := loadUser{l, token, mine[rng.IntN(len(mine))], fmt.Sprintf("/u%d/f%d.txt", n, rng.IntN(5)), fmt.Sprintf("%d.%d", n, i)}
		switch rng.IntN(6) {
		case 0:
			u.write()
		case 1:
			u.editShared()
		case 2:
			u.explore()
		case 3:
			foreign := l.spaces[(n+1)%loadWorkspaces]
			status, _ := u.call(foreign.id, "ls", `{"recursive":true}`)
			assert.Equal(l.t, 403, status)
		case 4:
			u.read(u.path)
		case 5:
			u.read("/shared.txt")
		}
	}
}

// loadUser makes one or a few calls of a user.
type loadUser struct {
	*load
	token string
	space *loadSpace
	path  string
	mark  string // unique to this round
}

// content contains the workspace's id, so that content of another workspace
// is recognizable.
func (u loadUser) content() string { return "in " + u.space.id + " by " + u.mark + "\n" }

func (u loadUser) call(space, tool, args string) (int, map[string]any) {
	req, err := http.NewRequest("POST", u.base+"/api/v1/workspaces/"+space+"/tools", strings.NewReader(`{"tool":"`+tool+`","args":`+args+`}`))
	if !assert.NoError(u.t, err) {
		return 0, nil
	}
	req.Header.Set("Authorization", "Bearer "+u.token)
	req.Header.Set("Content-Type", "application/json")
	begun := time.Now()
	resp, err := u.client.Do(req)
	if !assert.NoError(u.t, err) {
		return 0, nil
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	took := time.Since(begun)
	assert.NoError(u.t, err)
	u.calls.Add(1)
	u.mu.Lock()
	u.times = append(u.times, took)
	u.mu.Unlock()
	for _, s := range u.spaces {
		if s.id != space && bytes.Contains(b, []byte(s.id)) {
			u.t.Errorf("an answer of %s names %s: %s", space, s.id, b)
		}
	}
	var reply struct{ Result map[string]any }
	assert.NoError(u.t, json.Unmarshal(b, &reply), "%s", b)
	if !slices.Contains([]int{200, 403, 404, 409}, resp.StatusCode) {
		u.t.Errorf("%s %s: %d %s", tool, args, resp.StatusCode, b)
	}
	return resp.StatusCode, reply.Result
}

func jsonText(v any) string { return string(marshal(v)) }

func (u loadUser) write() {
	status, _ := u.call(u.space.id, "write", jsonText(map[string]any{"path": u.path, "content": u.content(), "overwrite": true}))
	if assert.Equal(u.t, 200, status) {
		u.space.wrote(u.path)
	}
}

func (u loadUser) read(path string) (text, hash string) {
	status, r := u.call(u.space.id, "read", jsonText(map[string]any{"path": path, "limit": 0}))
	if status == 404 {
		return "", ""
	}
	assert.Equal(u.t, 200, status)
	text, _ = r["content"].(string)
	hash, _ = r["hash"].(string)
	for line := range strings.Lines(text) {
		assert.True(u.t, strings.HasPrefix(line, "in "+u.space.id+" "), "%q in %s", line, u.space.id)
	}
	return text, hash
}

// editShared inserts a line at the top of the file that all members share,
// unless another member is faster.
func (u loadUser) editShared() {
	_, hash := u.read("/shared.txt")
	status, _ := u.call(u.space.id, "edit", jsonText(map[string]any{"path": "/shared.txt", "insert_line": 0, "insert_content": u.content(), "last_read_hash": hash}))
	if status == 409 {
		u.conflicts.Add(1)
		return
	}
	if assert.Equal(u.t, 200, status) {
		u.space.wrote("/shared.txt")
		u.space.mu.Lock()
		u.space.lines = append(u.space.lines, u.content())
		u.space.mu.Unlock()
	}
}

func (u loadUser) explore() {
	status, _ := u.call(u.space.id, "ls", `{"recursive":true,"limit":0}`)
	assert.Equal(u.t, 200, status)
	status, r := u.call(u.space.id, "grep", `{"pattern":"^in [0-9a-f-]+ by","limit":0}`)
	assert.Equal(u.t, 200, status)
	matches, _ := r["matches"].([]any)
	for _, m := range matches {
		text, _ := m.(map[string]any)["line_text"].(string)
		assert.True(u.t, strings.HasPrefix(text, "in "+u.space.id+" "), text)
	}
}

// check compares the stored state with the answers.
func (l *load) check() {
	token := l.annToken
	for _, s := range l.spaces {
		u := loadUser{load: l, token: token, space: s}
		text, _ := u.read("/shared.txt")
		got := slices.Sorted(strings.Lines(text))
		slices.Sort(s.lines)
		assert.Equal(l.t, len(s.lines), len(got))
		assert.True(l.t, slices.Equal(s.lines, got), "the shared file of %s lost or gained a line", s.id)
		for path, n := range s.versions {
			params := jsonText(map[string]any{"workbench_id": s.id, "path": strings.TrimPrefix(path, "/")})
			r, err := l.engine.Call(context.Background(), "WorkbenchFileVersions", json.RawMessage(params))
			require.NoError(l.t, err)
			var v struct{ Versions []any }
			require.NoError(l.t, json.Unmarshal([]byte(jsonText(r)), &v))
			assert.Equal(l.t, n, len(v.Versions), "versions of %s in %s", path, s.id)
		}
	}
}
