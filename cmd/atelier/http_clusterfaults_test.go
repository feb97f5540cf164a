//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// register is a file that one client writes with rising numbers and all read.
type register struct {
	name  string
	sent  atomic.Int64 // the last number that was sent
	acked atomic.Int64 // the last that was acknowledged
}

// TestHTTPClusterFaults: servers and NATS nodes are killed, paused, stopped and drained while
// clients write and read by any server. A read is never older than the last write that was
// acknowledged before it, nor newer than the last that was sent.
func TestHTTPClusterFaults(t *testing.T) {
	campaign.Slow(t)
	faults := campaign.Of(24, 60)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	r := startNodes(t, 3, 3, []string{"--drain", "1s"})
	r.must(r.each, "PUT", file("first.txt"), "0")
	var mu sync.RWMutex // protects the addresses of servers
	ask := func(ctx context.Context, method, path, body string) (int, string) {
		mu.RLock()
		n := *r.each[rand.IntN(len(r.each))]
		mu.RUnlock()
		ctx, cancel := context.WithTimeout(ctx, 25*time.Second)
		defer cancel()
		return r.request(ctx, &n, method, path, body)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	registers := make([]*register, 3)
	var writes, reads atomic.Int64
	problems := make(chan string, 100)
	for i := range registers {
		reg := &register{name: fmt.Sprintf("r%d.txt", i)}
		registers[i] = reg
		wg.Go(func() {
			for n := int64(1); ctx.Err() == nil; n++ {
				reg.sent.Store(n)
				if status, _ := ask(ctx, "PUT", file(reg.name), strconv.FormatInt(n, 10)); status == 200 {
					reg.acked.Store(n)
					writes.Add(1)
				} else {
					// It may still be on its way, so that it must not come after the next one.
					time.Sleep(200 * time.Millisecond)
				}
			}
		})
		wg.Go(func() {
			for ctx.Err() == nil {
				least := reg.acked.Load()
				status, text := ask(ctx, "GET", file(reg.name), "")
				most := reg.sent.Load()
				if status != 200 {
					if status == 404 && least > 0 {
						problems <- fmt.Sprintf("%s is not there, and %d was acknowledged", reg.name, least)
					}
					continue
				}
				reads.Add(1)
				if got, err := strconv.ParseInt(text, 10, 64); err != nil || got < least || got > most {
					problems <- fmt.Sprintf("%s is %q, and %d was acknowledged, %d sent", reg.name, text, least, most)
				}
			}
		})
	}
	for range faults {
		i := rnd.IntN(3)
		n := r.each[i]
		away := time.Duration(rnd.IntN(4000)) * time.Millisecond
		switch kind := rnd.IntN(6); kind {
		case 0, 1:
			_ = n.cmd.Process.Signal([]syscall.Signal{syscall.SIGKILL, syscall.SIGTERM}[kind])
			<-n.ended
			time.Sleep(away)
			fresh := &httpNode{home: n.home, log: n.log}
			r.run(fresh)
			mu.Lock()
			r.each[i] = fresh
			mu.Unlock()
		case 2:
			_ = n.cmd.Process.Signal(syscall.SIGSTOP)
			time.Sleep(away)
			_ = n.cmd.Process.Signal(syscall.SIGCONT)
		case 3:
			r.nats.Kill(i)
			time.Sleep(away)
			r.nats.Restart(i)
		case 4:
			r.nats.Pause(i)
			time.Sleep(away)
			r.nats.Continue(i)
		case 5:
			_, _ = r.admin("move", r.workspace, n.url) // it may be there, or nowhere
		}
		time.Sleep(time.Duration(rnd.IntN(2000)) * time.Millisecond)
	}
	cancel()
	wg.Wait()
	close(problems)
	for p := range problems {
		t.Error(p)
	}
	for _, reg := range registers {
		got, err := strconv.ParseInt(r.must(r.each, "GET", file(reg.name), ""), 10, 64)
		require.NoError(t, err)
		require.GreaterOrEqual(t, got, reg.acked.Load())
	}
	t.Logf("%d faults, %d writes and %d reads acknowledged", faults, writes.Load(), reads.Load())
	require.Positive(t, writes.Load())
}
