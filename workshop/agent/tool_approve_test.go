package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/approvals"
	"atelier/workshop/tools"
	"atelier/workshop/tools/brief"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/questions"
)

// asks makes rules count in the runs of the rig, with a person who gives the
// answers in turn; with none left the person says nothing.
func (r *rig) asks(rules approvals.Policy, answers ...string) (asked *[]approvals.Request) {
	asked = new([]approvals.Request)
	broker := &questions.Broker{}
	r.cfg.Questions, r.cfg.Approvals = broker, approvals.NewStore(r.wb, rules)
	r.events.on = func(e Event) {
		q, ok := e.Params.(QuestionPending)
		if !ok {
			return
		}
		*asked = append(*asked, *q.Approval)
		if len(answers) > 0 {
			raw, err := json.Marshal(answers[0])
			require.NoError(r.t, err)
			require.NoError(r.t, broker.Answer(q.WorkbenchID, q.QuestionID, tools.Answers{"approval": raw}))
			answers = answers[1:]
		}
	}
	return asked
}

// in every catalogue the files a call concerns are those that are
// asked about, whatever the tool, its name, the path policy or the batch.
func TestA09ApprovalsInEveryCatalogue(t *testing.T) {
	const hash = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" // of "a"
	w, d, rd := approvals.Write, approvals.Delete, approvals.Read
	for _, c := range []struct {
		catalogue, tool, args string
		want                  []approvals.Use
	}{
		{"workshop", "read_file", `{"path":"./in//a.txt"}`, []approvals.Use{{Effect: rd, Path: "in/a.txt"}}},
		{"workshop", "write_text_file", `{"path":"in/./n.txt","content":"x"}`, []approvals.Use{{Effect: w, Path: "in/n.txt"}}},
		{"workshop", "table_export", `{"path":"in/t.csv","target_path":"in/o.csv","format":"csv"}`, []approvals.Use{{Effect: rd, Path: "in/t.csv"}, {Effect: w, Path: "in/o.csv"}}},
		{"workshop", "docx_operations", `{"path":"in/d.docx","create_new":true,"operations":[{"op":"append_paragraph","text":"x"}]}`, []approvals.Use{{Effect: w, Path: "in/d.docx"}}},
		{"buildscale", "rm", `{"path":"/in/../in/a.txt"}`, []approvals.Use{{Effect: d, Path: "in/a.txt"}}},
		{"buildscale", "mv", `{"source":"in/a.txt","destination":"/b.txt"}`, []approvals.Use{{Effect: d, Path: "in/a.txt"}}},
		{"buildscale", "edit", `{"path":"in/a.txt","old_string":"a","new_string":"b"}`, []approvals.Use{{Effect: w, Path: "in/a.txt"}}},
		{"buildscale", "cat", `{"paths":["in/a.txt","/in/t.csv"]}`, []approvals.Use{{Effect: rd, Path: "in/a.txt"}, {Effect: rd, Path: "in/t.csv"}}},
		{"buildscale", "grep", `{"pattern":"a"}`, []approvals.Use{{Effect: rd, Path: "in/a.txt"}, {Effect: rd, Path: "in/t.csv"}}},
		{"aptix", "workspace.read_file", `{"path":"BOOK/In/A.txt"}`, []approvals.Use{{Effect: rd, Path: "in/a.txt"}}},
		{"aptix", "workspace_create_file", `{"path":"in/n.txt","content":"x"}`, nil},
		{"aptix", "workspace_write_patch", `{"files":[{"docPath":"book/in/a.txt","originalSha256":"` + hash + `","fileKey":"k","fileLabel":"l","changes":[{"operation":"replace","changeKey":"c","description":"d","startLine":1,"endLine":1,"expectedOriginalLines":["a"],"newLines":["b"]}]}]}`,
			[]approvals.Use{{Effect: w, Path: "in/a.txt"}}},
		{"sila", "read", `{"uri":"file:///in/%61.txt"}`, []approvals.Use{{Effect: rd, Path: "in/a.txt"}}},
		{"sila", "rm", `{"uri":"file:///in/a.txt"}`, []approvals.Use{{Effect: d, Path: "in/a.txt"}}},
	} {
		t.Run(c.catalogue+" "+c.tool, func(t *testing.T) {
			r := newRig(t, map[string]string{"in/a.txt": "a", "in/t.csv": "a,b\n1,2\n"})
			cat, err := catalogue.Named(c.catalogue)
			require.NoError(t, err)
			r.cfg.Catalogue = cat
			r.cfg.Session = &tools.Session{ID: r.wb.ID(), Conversation: r.wb.ID(), Docs: r.wb}
			args := strings.ReplaceAll(strings.ReplaceAll(c.args, "book/", strings.ToLower(r.wb.Name())+"/"), "BOOK/", strings.ToUpper(r.wb.Name())+"/")
			asked := r.asks(approvals.Policy{{Path: "in/**", Action: approvals.Ask}}, "no: hands off", "no: hands off")
			_, err = r.run(play(calls(c.tool, args), says("Well.")), "Go.")
			require.NoError(t, err)
			require.NotEmpty(t, *asked, r.results())
			require.Contains(t, r.results()[0], "hands off")
			if c.want != nil {
				require.Equal(t, c.want, (*asked)[0].Uses)
			}
			require.NotContains(t, r.results()[0], "1,2")
			require.Len(t, *asked, 1)
			st, err := r.wb.Draft(t.Context())
			require.NoError(t, err)
			require.False(t, st.HasDraft)
		})
	}
}

// rules count whatever a tool is called and however it is described: by a
// name of another catalogue, and in short to a model with a small window.
func TestA02RulesHoldForShortTools(t *testing.T) {
	for _, c := range []struct{ catalogue, rule, tool, args string }{
		{"workshop", "write", "write_text_file", `{"path":"n.txt","content":"x"}`},
		{"buildscale", "remove", "rm", `{"path":"/a.txt"}`},
		{"aptix", "workspace_read_file", "workspace.read_file", `{"path":"a.txt"}`},
	} {
		for _, tool := range []string{ToolsFull, ToolsSmall} {
			r := newRig(t, map[string]string{"a.txt": "secret"})
			cat, err := catalogue.Named(c.catalogue)
			require.NoError(t, err)
			r.cfg.Catalogue, r.cfg.Tools = cat, tool
			if tool == ToolsSmall {
				r.cfg.Catalogue = brief.Of(cat)
			}
			r.cfg.Session = &tools.Session{ID: r.wb.ID(), Conversation: r.wb.ID(), Docs: r.wb}
			r.asks(approvals.Policy{{Tool: c.rule, Action: approvals.Deny}})
			_, err = r.run(play(calls(c.tool, c.args), says("Well.")), "Go.")
			require.NoError(t, err)
			require.Contains(t, r.results()[0], "not allowed", "%s %s %s", c.catalogue, c.tool, tool)
		}
	}
}

// Rules are about virtual files as about others, and a real file is asked about
// once however many views lie over it.
func TestA09RulesHoldForVirtualFiles(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "a"})
	cat, err := catalogue.Named("buildscale")
	require.NoError(t, err)
	r.cfg.Catalogue = cat
	asked := r.asks(approvals.Policy{{Path: "chats/**", Action: approvals.Deny}, {Action: approvals.Ask}}, "once", "once")
	_, err = r.run(play(calls("cat", `{"paths":["chats/chat-`+r.wb.ID()+`.chat"]}`), calls("cat", `{"paths":["a.txt"]}`),
		calls("mv", `{"source":"a.txt","destination":"b.txt"}`), says("Well.")), "Go, secretly.")
	require.NoError(t, err)
	require.NotContains(t, r.results()[0], "secretly")
	require.Contains(t, r.results()[0], "not allowed")
	require.Contains(t, r.results()[1], "a")
	require.Len(t, *asked, 2, r.results())
}

// W-14: a run can be cancelled while a call waits for an approval; nothing of
// the call is done. W-03: reading calls before it were not held up.
func TestW14CancelWhileApprovalIsAsked(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "a"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.asks(approvals.Policy{{Tool: "write_*", Action: approvals.Ask}})
	on := r.events.on
	r.events.on = func(e Event) {
		on(e)
		if e.Method == EventQuestionPending {
			require.Equal(t, []string{"a"}, r.results())
			cancel()
		}
	}
	_, err := r.runCtx(ctx, play(calls("read_file", `{"path":"a.txt"}`, "write_text_file", `{"path":"b.txt","content":"b"}`, "read_file", `{"path":"a.txt"}`)), "Go.")
	require.Equal(t, runerr.CodeUserCanceled, code(err))
	require.Len(t, r.results(), 3)
	require.Contains(t, r.results()[1], "canceled")
	st, err := r.wb.Draft(t.Context())
	require.NoError(t, err)
	require.False(t, st.HasDraft)
}

// W-11: the time a person takes to answer is not the tool's.
func TestW11ApprovalStopsTheClock(t *testing.T) {
	r := newRig(t, nil)
	r.cfg.Limits.ToolTimeout = 300 * time.Millisecond
	broker := &questions.Broker{}
	r.cfg.Questions, r.cfg.Approvals = broker, approvals.NewStore(r.wb, approvals.Policy{{Action: approvals.Ask}})
	r.events.on = func(e Event) {
		if q, ok := e.Params.(QuestionPending); ok {
			time.AfterFunc(time.Second, func() {
				_ = broker.Answer(q.WorkbenchID, q.QuestionID, tools.Answers{"approval": json.RawMessage(`"once"`)})
			})
		}
	}
	_, err := r.run(play(calls("write_text_file", `{"path":"b.txt","content":"b"}`), says("Done.")), "Go.")
	require.NoError(t, err)
	require.Equal(t, []string{"Successfully wrote 1 bytes to b.txt"}, r.results())
}

// K-06: an answer is a record of the conversation, and taking the call back
// takes it back.
func TestK06ApprovalsAreRecorded(t *testing.T) {
	r := newRig(t, nil)
	r.asks(approvals.Policy{{Effect: approvals.Write, Action: approvals.Ask}}, "always")
	_, err := r.run(play(calls("write_text_file", `{"path":"b.txt","content":"b"}`), says("Done.")), "Go.")
	require.NoError(t, err)
	var found *workshop.Record
	for _, rec := range r.records() {
		if rec.EventKind == eventApproval {
			found = &rec
		}
	}
	require.NotNil(t, found)
	require.Equal(t, "always", found.Metadata["answer"])
	require.Equal(t, "write_text_file", found.Metadata["tool"])
	_, err = r.wb.UndoTo(t.Context(), r.records()[1].MessageID)
	require.NoError(t, err)
	require.Len(t, r.results(), 1)
}
