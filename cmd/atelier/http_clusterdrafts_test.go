//go:build unix

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"

	"atelier/internal/cluster/clustertest/history"
)

// withBearer sends requests with a token.
type withBearer string

func (t withBearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

// deleteInDraft has an agent delete a file in the draft; known: the answer is known.
func (g *faultRig) deleteInDraft(ctx context.Context, server int, workspace, name string) (deleted, known bool) {
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: g.addresses[server] + "/mcp/" + workspace, HTTPClient: &http.Client{Transport: withBearer(g.token)}, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: "2026-07-28"})
	if err != nil {
		return false, true // nothing was asked for
	}
	defer s.Close()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "delete", Arguments: obj{"path": name}})
	if err != nil {
		return false, false
	}
	return !res.IsError, true
}

// removeByDraft removes a file in the draft, as an agent does, and publishes that; the draft of
// a workspace is one for all clients. Where the file is not removed for certain, it may be at
// any later time, when another client publishes the path.
func (c *clients) removeByDraft(o history.Op, server int, within time.Duration) {
	workspace, name, _ := strings.Cut(o.File, "/")
	ctx, cancel := context.WithTimeout(c.ctx, within)
	defer cancel()
	o.Began, o.Outcome = c.h.Now(), history.Unknown
	deleted, known := c.g.deleteInDraft(ctx, server, workspace, name)
	if !deleted && known {
		return // there is no file, or nobody heard of it
	}
	if deleted {
		r := c.g.at(server, workspace)
		paths, _ := json.Marshal(obj{"paths": []string{name}})
		status, answer := r.request(ctx, r.each[0], "POST", "/draft/publish", string(paths))
		var published struct {
			Result struct {
				Published []string `json:"published"`
			} `json:"result"`
		}
		switch {
		case status == http.StatusOK:
			assert.NoError(c.g.t, json.Unmarshal([]byte(answer), &published), answer)
			if slices.ContainsFunc(published.Result.Published, func(p string) bool { return path.Base(p) == name }) {
				o.Outcome = history.Done
			}
		case status != 0: // another made the file anew, or the workspace moved
			r.request(ctx, r.each[0], "POST", "/draft/discard", string(paths))
		}
		c.mu.Lock()
		c.drafts[o.Outcome]++
		c.mu.Unlock()
	}
	o.Ended = c.h.Now()
	c.h.Add(o)
}
