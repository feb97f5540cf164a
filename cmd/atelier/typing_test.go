package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// sharedText is a writer for several goroutines.
type sharedText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *sharedText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *sharedText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

const wait, tick = 20 * time.Second, 5 * time.Millisecond

// W-52, M-10: text that a person types while the model works is a message to
// the run; while a question is open, it is the answer.
func TestM10TypedLinesSteerOrAnswer(t *testing.T) {
	srv, address, asked, let := gated(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"n","question":"How many?","schema":"{\"type\":\"integer\"}"}]}}}
-- model-2 --
{"text":"Done."}
`)
	e, err := engine.New(engine.Options{Home: t.TempDir(), BaseURL: address, APIKey: "key", Model: "m"})
	require.NoError(t, err)
	defer e.Close()
	wb, err := e.OpenFolder(t.Context(), t.TempDir())
	require.NoError(t, err)
	in, typed := io.Pipe()
	out := &sharedText{}
	p := &prompter{e: e, in: bufio.NewReader(in), out: out}
	ctx := context.Background()
	p.typing = newTerminalReader(p.in, nil, p.steer(ctx, wb.ID()))
	defer e.Subscribe(p.notify(ctx))()
	open := make(chan struct{}, 1)
	defer e.Subscribe(func(n engine.Notification) {
		if n.Method == "WorkshopQuestionPending" {
			open <- struct{}{}
		}
	})()
	msg, err := engine.CallAs[engine.MessageRef](ctx, e, "WorkshopSendUserMessage", engine.SendUserMessageParams{WorkbenchID: wb.ID(), Text: "Go"})
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := engine.CallAs[engine.RunAgentResult](ctx, e, "WorkshopRunAgent", engine.RunAgentParams{WorkbenchID: wb.ID(), MessageID: msg.MessageID})
		done <- err
	}()
	<-asked
	_, err = io.WriteString(typed, "Be brief.\n\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return bytes.Contains([]byte(out.String()), []byte("(passed on")) }, wait, tick)
	let <- struct{}{}
	let <- struct{}{}
	<-open
	require.Eventually(t, func() bool { return bytes.Contains([]byte(out.String()), []byte("> ")) }, wait, tick)
	_, err = io.WriteString(typed, "many\n3\n")
	require.NoError(t, err)
	require.NoError(t, <-done)
	ms := srv.Requests()[len(srv.Requests())-1].Messages
	require.Equal(t, "Be brief.", ms[len(ms)-1].Content)
	require.Contains(t, ms[len(ms)-2].Content, `"n":3`)
	require.Contains(t, out.String(), "That does not fit: type a whole number.")

	// The question is closed.
	_, err = io.WriteString(typed, "Hello?\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return bytes.Contains([]byte(out.String()), []byte("(not passed on: no run is in progress"))
	}, wait, tick)
}
