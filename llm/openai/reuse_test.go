package openai_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/openai"
)

// A connection that the server closes just as the next request comes in (llama.cpp
// 0.7.0, after each streamed answer, though its headers say that it keeps it) is no
// failure: the request goes out again on another (L-06).
func TestClosedConnectionsAreNoFailure(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	connections := make(chan http.Header, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, req.Body)
				connections <- req.Header
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nKeep-Alive: timeout=5, max=100\r\nTransfer-Encoding: chunked\r\n\r\n"+
					chunked("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
				_, _ = r.ReadByte() // the next request has begun
			}()
		}
	}()
	client := openai.New(openai.Options{BaseURL: "http://" + l.Addr().String(), HTTPClient: &http.Client{Transport: &http.Transport{}}})
	for range 4 {
		resp, err := client.Chat(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.RoleUser, Content: "Hi."}}, Stream: true})
		require.NoError(t, err)
		require.Equal(t, "x", resp.Content)
		require.NotContains(t, <-connections, "Idempotency-Key")
	}
}

func chunked(s string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(s), s) }
