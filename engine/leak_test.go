package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"atelier/engine"
	"atelier/llm/replay"
	"atelier/workshop/agent"
)

// endpoint serves a fixture to an engine.
type endpoint struct {
	srv       *replay.Server
	transport *http.Transport
}

func serveModel(t testing.TB, fixture string) endpoint {
	t.Helper()
	f, err := replay.Parse([]byte(fixture))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	return endpoint{srv, &http.Transport{}}
}

func (p endpoint) options(o *engine.Options) {
	o.Model, o.BaseURL, o.HTTPClient = "m", p.srv.URL, &http.Client{Transport: p.transport}
	o.Limits = agent.Limits{RetryBase: time.Millisecond, RetryCap: time.Millisecond, Retries: 2}
}

// await waits for the n-th request.
func (p endpoint) await(t testing.TB, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return len(p.srv.Requests()) >= n }, time.Minute, time.Millisecond)
}

func (p endpoint) close() {
	p.srv.Close()
	p.transport.CloseIdleConnections()
}

// begin starts a run and gives what it came to.
func begin(t testing.TB, e *engine.Engine, id string) <-chan error {
	t.Helper()
	msg, info := call(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Go on"})
	require.Nil(t, info)
	raw, err := json.Marshal(obj{"workbench_id": id, "message_id": msg["message_id"]})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		_, err := e.Call(context.Background(), "WorkshopRunAgent", raw)
		ended <- err
	}()
	return ended
}

func errorCode(t testing.TB, err error) string {
	t.Helper()
	var info *engine.ErrorInfo
	require.ErrorAs(t, err, &info)
	return info.ErrorCode
}

// The end of an engine in the middle of a run: the run ends first, what it had
// is kept, a tool that was at work has its result, and nothing goes on running
// (W-14, L-07).
func TestCloseInTheMiddleOfARun(t *testing.T) {
	for name, tc := range map[string]struct {
		model, at    string // the notification after which the engine is closed
		member, last string // of the record that the conversation then ends with
		records      int
	}{
		"answer": {"-- model --\n{\"text\":\"The first half\"}\n{\"hang\":true}\n", agent.EventStreamDelta, "text", "The first half", 2},
		"tool": {`-- model --
{"call":{"id":"1","name":"ask_user","arguments":{"questions":[{"name":"a","question":"Which?","schema":"{\"type\":\"string\"}"}]}}}
`, agent.EventQuestionPending, "content", "Error: tool ask_user did not finish: the run was canceled", 3},
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			p := serveModel(t, tc.model)
			opt := engine.Options{Home: t.TempDir(), Keys: &memoryKeys{}}
			p.options(&opt)
			e, err := engine.New(opt)
			require.NoError(t, err)
			id, _ := folder(t, e, map[string]string{"a.txt": "x"})
			there := make(chan struct{}, 10)
			stop := e.Subscribe(func(n engine.Notification) {
				if n.Method == tc.at {
					there <- struct{}{}
				}
			})
			ended := begin(t, e, id)
			<-there
			stop()
			require.NoError(t, e.Close())
			require.Equal(t, engine.CodeUserCanceled, errorCode(t, <-ended))
			p.close()

			e, err = engine.New(opt)
			require.NoError(t, err)
			records := must(t, e, "WorkshopGetConversation", obj{"workbench_id": id})["messages"].([]any)
			require.Len(t, records, tc.records)
			require.Equal(t, tc.last, records[tc.records-1].(obj)[tc.member])
			require.NoError(t, e.Close())
			goleak.VerifyNone(t, before)
		})
	}
}

// An endpoint that goes away in the middle of an answer, and stays away.
func TestEndpointGone(t *testing.T) { // L-06, W-15
	before := goleak.IgnoreCurrent()
	p := serveModel(t, "-- model --\n{\"hang\":true}\n")
	opt := engine.Options{Home: t.TempDir(), Keys: &memoryKeys{}}
	p.options(&opt)
	e, err := engine.New(opt)
	require.NoError(t, err)
	id, _ := folder(t, e, map[string]string{"a.txt": "x"})
	ended := begin(t, e, id)
	p.await(t, 1)
	p.close()
	require.Contains(t, []string{engine.CodeNetwork, engine.CodeUnavailable}, errorCode(t, <-ended))
	require.NoError(t, e.Close())
	goleak.VerifyNone(t, before)
}

// A translation that is canceled, and an engine that is closed in one.
func TestTranslationLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	e, err := engine.New(engine.Options{Home: t.TempDir(), Model: engine.PseudoModel, Keys: &memoryKeys{}})
	require.NoError(t, err)
	id, dir := documents(t, e)
	for i := range 30 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("more%02d.txt", i)), []byte("Eine Zeile.\nNoch eine.\n"), 0o644))
	}
	end := listen(t, e, nil)
	job, info := call(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"de"}, "folder": "out", "engine": "pseudo"})
	require.Nil(t, info)
	_, info = call(t, e, "TranslateCancel", obj{"workbench_id": id, "job_id": job["job_id"]})
	require.Nil(t, info)
	end.next(t)
	_, info = call(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"fr"}, "folder": "out", "engine": "pseudo"})
	require.Nil(t, info)
	require.NoError(t, e.Close())
	goleak.VerifyNone(t, before)
}
