package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// W-13, K-10: a run and something the person does that begin at the same moment never
// work at once. The model holds each of its requests until the actions of that
// moment were answered, so whatever they change while it does was changed under
// a run.
func TestW13RunsAndActivitiesExcludeEachOther(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 20
	}
	var thinking, under atomic.Int32
	var mu sync.Mutex // protects answered
	var answered chan struct{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hold := answered
		mu.Unlock()
		thinking.Add(1)
		select {
		case <-hold:
		case <-r.Context().Done():
		}
		thinking.Add(-1)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	e := newEngine(t, func(o *engine.Options) { o.Model, o.BaseURL, o.APIKey = "gpt-5", srv.URL+"/v1", "k" })
	defer e.Subscribe(func(n engine.Notification) {
		switch n.Method {
		case "DraftStateChanged", "CheckpointCreated", "CheckpointRestored":
			under.Add(thinking.Load())
		}
	})()
	id, dir := folder(t, e, map[string]string{"a.md": "one\n"})
	wb, err := e.OpenFolder(t.Context(), dir)
	require.NoError(t, err)
	write := func(text string) {
		must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": "a.md", "content": text}})
	}
	first := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "hello"})["message_id"]
	kept := must(t, e, "CheckpointCreate", obj{"workbench_id": id, "description": "kept"})["checkpoint_id"]
	actions := []struct {
		method string
		params obj
	}{
		{"DraftPublish", obj{}}, {"DraftDiscard", obj{}}, {"CheckpointRestore", obj{"checkpoint_id": kept}},
		{"CheckpointCreate", obj{"description": "again"}}, {"WorkshopUndoToMessage", obj{"message_id": first}},
	}
	ran, refused := 0, 0
	for i := range rounds {
		write(fmt.Sprintf("text %d\n", i))
		mu.Lock()
		answered = make(chan struct{})
		hold := answered
		mu.Unlock()
		msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "go on"})["message_id"]
		var run *engine.ErrorInfo
		var wait, acts sync.WaitGroup
		start := make(chan struct{})
		wait.Go(func() {
			<-start
			_, run = call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
		})
		infos := make([]*engine.ErrorInfo, 2)
		for n := range infos {
			d := actions[(i+n*2)%len(actions)]
			params := obj{"workbench_id": id}
			for k, v := range d.params {
				params[k] = v
			}
			acts.Go(func() {
				<-start
				for range i % 8 { // so that now the run is first, now the action
					_, _ = wb.Setting(t.Context(), "some")
				}
				_, infos[n] = call(t, e, d.method, params)
			})
		}
		close(start)
		acts.Wait()
		close(hold)
		wait.Wait()
		require.Zero(t, under.Load(), "round %d: files or draft were replaced while a run worked on them", i)
		if run == nil {
			ran++
		} else if run.ErrorCode == engine.CodeValidationFailed && assert.Regexp(t, `already in progress|no user message`, run.Detail) {
			refused++
		}
		for _, info := range infos {
			if info == nil {
				continue
			}
			if info.ErrorCode == engine.CodeConflictPublished {
				assert.Contains(t, info.Detail, "that the checkpoint would restore")
			} else if assert.Equal(t, engine.CodeValidationFailed, info.ErrorCode, info.Detail) && info.Retryable {
				assert.Regexp(t, `^(a run|a publish|a discard of the draft|an undo|a checkpoint|a restore) is already in progress in this workbench$`, info.Detail)
				assert.NotEmpty(t, info.Hint)
			}
		}
		require.Nil(t, must(t, e, "WorkshopGetState", obj{"workbench_id": id})["activity"])
	}
	t.Logf("%d runs worked, %d came second", ran, refused)
}

// What a run would come upon is named, and a workbench that is being worked on
// is not deleted.
func TestW13WhoComesSecondIsTold(t *testing.T) {
	e := newEngine(t)
	id, dir := folder(t, e, map[string]string{"a.md": "one\n"})
	wb, err := e.OpenFolder(t.Context(), dir)
	require.NoError(t, err)
	msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "hello"})["message_id"]
	end, err := wb.Begin("publish")
	require.NoError(t, err)
	require.Equal(t, "publish", must(t, e, "WorkshopGetState", obj{"workbench_id": id})["activity"])
	for method, params := range map[string]obj{"WorkshopRunAgent": {"message_id": msg}, "WorkshopRegenerate": {"message_id": msg}, "WorkshopCompact": {},
		"TranslateStart": {"to": []string{"es"}, "in_place": true}, "DraftPublish": {}, "DraftDiscard": {}, "CheckpointCreate": {"description": "x"},
		"CheckpointRestore": {"checkpoint_id": "x"}, "WorkshopUndoToMessage": {"message_id": msg}, "WorkbenchDelete": {}} {
		params["workbench_id"] = id
		_, info := call(t, e, method, params)
		require.NotNil(t, info, method)
		assert.Equal(t, "a publish is already in progress in this workbench", info.Detail, method)
		assert.Equal(t, engine.CodeValidationFailed, info.ErrorCode, method)
		assert.True(t, info.Retryable, method)
	}
	require.False(t, must(t, e, "WorkshopCancelRun", obj{"workbench_id": id})["cancel_requested"].(bool))
	end()
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
	must(t, e, "WorkbenchDelete", obj{"workbench_id": id})
}

// W-55, K-06: a message that is sent while an undo is at work is not taken back
// with what the undo was asked to take back.
func TestWhatIsSaidDuringAnUndoStays(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"a.md": "one\n"})
	say := func(text string) any {
		return must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": text})["message_id"]
	}
	for i := range 30 {
		base := say("base")
		must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": "a.md", "content": fmt.Sprint(i)}})
		say("to be taken back")
		var undone any
		var said string
		var both sync.WaitGroup
		both.Go(func() {
			undone = must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": base})["records_undone"]
		})
		both.Go(func() {
			time.Sleep(time.Duration(i) * 200 * time.Microsecond) // somewhere in the undo
			said = fmt.Sprint(say("meanwhile"))
		})
		both.Wait()
		stays := false
		for _, m := range must(t, e, "WorkshopGetConversation", obj{"workbench_id": id})["messages"].([]any) {
			stays = stays || fmt.Sprint(m.(obj)["message_id"]) == said
		}
		want := 1.0
		if !stays {
			want = 2 // it was there when the undo began
		}
		require.Equal(t, want, undone, "round %d: the message stays: %v", i, stays)
	}
}
