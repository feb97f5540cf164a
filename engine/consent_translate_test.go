package engine_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm"
	"atelier/llm/pseudo"
)

// translates answers the last request as a model that translates.
func translates(v *remote) func(n int, w http.ResponseWriter, r *http.Request) {
	return func(n int, w http.ResponseWriter, _ *http.Request) {
		var req struct{ Messages []llm.Message }
		_ = json.Unmarshal([]byte(v.bodies[n-1]), &req)
		var page struct {
			Segments []struct {
				ID, Text string
				Max      int `json:"max_length"`
			}
		}
		for _, m := range req.Messages {
			if m.ToolCallID == "segments" {
				_ = json.Unmarshal([]byte(m.Content), &page)
			}
		}
		out := []obj{}
		for _, s := range page.Segments {
			out = append(out, obj{"id": s.ID, "text": pseudo.Within(s.Text, s.Max)})
		}
		args, _ := json.Marshal(obj{"translations": out})
		io.WriteString(w, toolCall(n, "put_translations", string(args)))
	}
}

// A translation needs the same consent, its rows have the bytes that were sent,
// and what it made asks nobody once it is published.
func TestTranslationConsent(t *testing.T) {
	v := newRemote(t, nil)
	v.answer = translates(v)
	e := newEngine(t, v.use)
	done := listen(t, e, nil)
	id, _ := folder(t, e, map[string]string{"a.txt": "Good morning to all.", "b.md": "# Notes\n\nThe price is high.\n"})
	job := obj{"workbench_id": id, "to": []string{"es"}}
	_, info := call(t, e, "TranslateStart", job)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Zero(t, v.count())
	grantNow(t, e, id, "first", true)
	must(t, e, "TranslateStart", job)
	require.EqualValues(t, "complete", done.next(t).Status)
	require.Positive(t, v.count())
	var out, in []int64
	for _, ev := range must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"].([]any)[1:] {
		ev := ev.(obj)
		require.Equal(t, "translate", ev["kind"])
		require.Equal(t, 200.0, ev["status"])
		out, in = append(out, int64(ev["bytes_out"].(float64))), append(in, int64(ev["bytes_in"].(float64)))
	}
	require.ElementsMatch(t, v.in, out)
	require.ElementsMatch(t, v.out, in)
	must(t, e, "DraftPublish", obj{"workbench_id": id})
	st := must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id})
	require.Equal(t, true, st["consented"], "%v", st)
	require.Equal(t, 4.0, st["files"])
}

// A job whose consent is taken back ends, says why, and sends nothing more.
func TestTranslationTakenBack(t *testing.T) {
	v := newRemote(t, nil)
	v.answer = translates(v)
	e := newEngine(t, v.use)
	done := listen(t, e, nil)
	id, _ := folder(t, e, map[string]string{"a.txt": "One.", "b.txt": "Two.", "c.txt": "Three.", "d.txt": "Four.", "e.txt": "Five.", "f.txt": "Six."})
	grantNow(t, e, id, "first", false)
	var sent atomic.Int64
	v.onAnswer = func(n int) {
		if n == 1 {
			must(t, e, "EgressRevokeWorkshopConsent", obj{"workbench_id": id})
		}
		sent.Store(int64(n))
	}
	must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}})
	end := done.next(t)
	require.LessOrEqual(t, sent.Load(), int64(2), "but for one that was on its way already") // two documents at once
	require.GreaterOrEqual(t, end.Failed, 4)
	files := must(t, e, "TranslateStatus", obj{"workbench_id": id, "job_id": end.JobID})["results"].([]any)
	why := 0
	for _, f := range files {
		if msg, _ := f.(obj)["error"].(string); strings.Contains(msg, "there is no consent") {
			why++
		}
	}
	require.GreaterOrEqual(t, why, 1, "%v", files)
	_, info := call(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}})
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.LessOrEqual(t, v.count(), 2, "the one that was on its way may come late")
}
