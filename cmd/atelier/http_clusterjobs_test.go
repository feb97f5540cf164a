//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// jobStatus is what the API says of a translation.
type jobStatus struct {
	Status    string `json:"status"`
	Files     int    `json:"files"`
	FilesDone int    `json:"files_done"`
	Error     string `json:"error"`
}

func (r *httpNodes) job(nodes []*httpNode, id string) jobStatus {
	r.t.Helper()
	var answer struct {
		Result jobStatus `json:"result"`
	}
	require.NoError(r.t, json.Unmarshal([]byte(r.must(nodes, "GET", "/translations/"+id, "")), &answer))
	return answer.Result
}

// agentTranslates begins a translation by the tool of agents, at any of the servers, and
// returns its job.
func (r *httpNodes) agentTranslates(args map[string]any) string {
	r.t.Helper()
	ctx := r.t.Context()
	c := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	s, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: r.each[len(r.each)-1].url + "/mcp/" + r.workspace, HTTPClient: &http.Client{Transport: withBearer(r.token)}, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: "2026-07-28"})
	require.NoError(r.t, err)
	defer s.Close()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "translate", Arguments: args})
	require.NoError(r.t, err)
	require.False(r.t, res.IsError, "%v", res.Content[0])
	b, err := json.Marshal(res.StructuredContent)
	require.NoError(r.t, err)
	var st struct {
		JobID  string `json:"job_id"`
		Status string `json:"status"`
	}
	require.NoError(r.t, json.Unmarshal(b, &st))
	require.Equal(r.t, "running", st.Status)
	return st.JobID
}

// A translation job whose server is killed, stopped or told to move the workspace is continued
// by the next one without a call, and asks again only for what was on its way or translated in
// the last moments. One that a person stopped is not.
func TestHTTPClusterTranslationContinues(t *testing.T) {
	campaign.Slow(t)
	for i, how := range []string{"killed", "stopped", "moved"} {
		if leftOut(i, 3) {
			continue
		}
		t.Run(how, func(t *testing.T) {
			const files, paragraphs = 12, 30
			m := serveSegments(t, slowModel(1500, 1))
			r := startNodes(t, 1, 2, []string{"--model", "m", "--allow-egress", "--drain", "500ms"}, "OPENAI_BASE_URL="+m.URL, "OPENAI_API_KEY=k", "ATELIER_MODEL=m")
			for i := range files {
				var b strings.Builder
				for j := range paragraphs {
					fmt.Fprintf(&b, "Paragraph %d of the document number %d is here.\n\n", j, i)
				}
				r.must(r.each, "PUT", file(fmt.Sprintf("f%d.md", i)), b.String())
			}
			start := func() string {
				var answer struct {
					Result struct {
						JobID string `json:"job_id"`
					} `json:"result"`
				}
				require.NoError(t, json.Unmarshal([]byte(r.must(r.each, "POST", "/translations", `{"to":["de"],"jobs":1}`)), &answer))
				return answer.Result.JobID
			}
			var id string
			atOnce := 1 // documents
			if how == "killed" {
				atOnce = 4 // an agent cannot say how many
				id = r.agentTranslates(map[string]any{"to": "de", "wait_seconds": 1})
			} else {
				id = start()
			}
			require.Eventually(t, func() bool { return r.job(r.each, id).FilesDone >= 2 }, time.Minute, 50*time.Millisecond)
			owner, others := r.owner()
			time.Sleep(3 * time.Second) // nobody asks: what is done is in the log all the same
			before := len(m.counts())
			switch how {
			case "killed":
				r.kill(owner)
			case "stopped":
				require.NoError(t, owner.cmd.Process.Signal(syscall.SIGTERM))
				<-owner.ended
			case "moved":
				out, err := r.admin("move", r.workspace, strings.TrimPrefix(others[0].url, "http://"))
				require.NoError(t, err, out)
			}
			require.Less(t, before, files*paragraphs, "it had ended")
			require.Eventually(t, func() bool { return len(m.counts()) == files*paragraphs }, time.Minute, 50*time.Millisecond, "no server continues it without a call")
			require.Eventually(t, func() bool { return r.job(others, id).Status == "complete" }, time.Minute, 50*time.Millisecond)
			require.Equal(t, files, r.job(others, id).FilesDone)
			for i := range files {
				r.must(others, "GET", file(fmt.Sprintf("translated/de/f%d.md", i))+"&version=draft", "")
			}
			again := 0
			for _, n := range m.counts() {
				again += n - 1
			}
			t.Logf("%d texts, of which %d were asked for before the server was %s; %d requests for texts that were asked for before", files*paragraphs, before, how, again)
			require.LessOrEqual(t, again, (2+atOnce)*paragraphs, "what was translated before is not asked for again")

			// One that is stopped is not continued.
			r.must(others, "PUT", file("more.md"), strings.Repeat("A text that is new.\n\nAnother one.\n\n", 5))
			m.behave(slowModel(3000, 1))
			id = start()
			require.Contains(t, r.must(others, "POST", "/translations/"+id+"/stop", ""), `"cancel_requested":true`)
			if how != "moved" {
				fresh := &httpNode{home: owner.home, log: owner.log}
				r.run(fresh)
				r.each = append(r.each, fresh)
				others[0], owner = fresh, others[0]
			}
			r.kill(owner)
			asked := len(m.counts())
			require.Contains(t, []string{"canceled", "interrupted"}, r.job(others[:1], id).Status)
			time.Sleep(3 * time.Second)
			require.Contains(t, []string{"canceled", "interrupted"}, r.job(others[:1], id).Status)
			require.Equal(t, asked, len(m.counts()))
		})
	}
}
