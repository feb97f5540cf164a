//go:build unix

package main

import (
	"context"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// tell prints what the servers wait for, which ends them, and the leaders of the streams.
func (r *httpNodes) tell() {
	r.t.Helper()
	if r.nats != nil {
		r.tellStreams(strings.Join(r.nats.URLs(), ","))
	}
	for i, n := range r.each {
		_ = n.cmd.Process.Signal(syscall.SIGQUIT) // Go prints all goroutines
		select {
		case <-n.ended:
		case <-time.After(5 * time.Second):
		}
		for _, g := range goroutines.FindAllString(n.log.String(), -1) {
			if strings.Contains(g, "atelier/internal/replica") || strings.Contains(g, "atelier/internal/cluster") {
				r.t.Logf("server %d: %s", i, g)
			}
		}
	}
}

// goroutines finds each of a dump.
var goroutines = regexp.MustCompile(`(?m)^goroutine \d+[^\n]*\n(?:[^\n]+\n)+`)

func (r *httpNodes) tellStreams(urls string) {
	conn, err := nats.Connect(urls)
	if err != nil {
		r.t.Log("the streams are not known: ", err)
		return
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		r.t.Log("the streams are not known: ", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	list := js.ListStreams(ctx)
	for info := range list.Info() {
		if info.Cluster == nil {
			continue
		}
		r.t.Logf("stream %s: leader %q, %d messages to %d", info.Config.Name, info.Cluster.Leader, info.State.Msgs, info.State.LastSeq)
		for _, p := range info.Cluster.Replicas {
			r.t.Logf("  %s: current %v, offline %v, %d behind, active %s ago", p.Name, p.Current, p.Offline, p.Lag, p.Active)
		}
	}
	if err := list.Err(); err != nil {
		r.t.Log("the streams are not known: ", err)
	}
}
