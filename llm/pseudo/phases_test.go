package pseudo

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
)

func ask(t *testing.T, tools []llm.Tool, users ...string) llm.ChatResponse {
	t.Helper()
	var ms []llm.Message
	for _, u := range users {
		ms = append(ms, llm.Message{Role: llm.RoleUser, Content: u}, llm.Message{Role: llm.RoleAssistant, Content: "…"})
	}
	resp, err := New().Chat(t.Context(), llm.Request{Model: Model, Messages: ms[:len(ms)-1], Tools: tools})
	require.NoError(t, err)
	return resp
}

func TestV01PlaysThePhases(t *testing.T) {
	d := newMemoryTools()
	notes := last(d.converse(t, "Translate the docx and notes.md, a.docx to German\n\n[Phase: research]\nResearch the request above.", offer("list_files", "read_file")))
	require.Equal(t, "Translate into German:\n- a.docx\n- notes.md", notes)
	task := "[Phase: plan]\nMake the plan for the request above.\n\nResearch:\n" + notes
	want := "- [ ] 1. a.docx — Translate into German\n- [ ] 2. notes.md — Translate into German\n"
	for _, more := range []string{"", "\n\nA first answer held no item."} {
		require.Equal(t, want, ask(t, offer("read_file"), "Translate it\n\n"+task+more).Content)
		require.Equal(t, want, ask(t, offer("read_file"), "Translate it", task+more).Content, "the task in a message of its own")
	}
	said := last(d.converse(t, "Translate it\n\n[Phase: implement]\nCarry out item 1 of 2: a.docx — Translate into German\n\nPlan:\n"+want, allTools))
	require.Equal(t, "2 segments", said)
	require.True(t, strings.HasPrefix(d.texts["a.docx"][0], "["))
	require.Equal(t, []string{"Read me"}, d.texts["notes.md"])
	require.Equal(t, "FAILED: locked.docx cannot be opened: it is encrypted",
		last(d.converse(t, "Translate it\n\n[Phase: implement]\nCarry out item 1 of 2: locked.docx — Translate into German", allTools)))
	text := ask(t, nil, "Translate it\n\n[Phase: summary]\nAnswer the user now.\n\nPlan, with what came of each item:\n- [x] 1. a.docx — Translate into German\n  2 segments\n- [!] 2. locked.docx — Translate into German [Failed: it is encrypted]\n  FAILED: it is encrypted").Content
	require.Contains(t, text, "I pseudo-translated 1 file into German, in the draft:\n- a.docx: 2 segments\n- locked.docx: given up: it is encrypted\n"+disclaimer)
}

func TestV01AnswersOutright(t *testing.T) {
	research := "\n\n[Phase: research]\nResearch the request above."
	require.Equal(t, "ANSWER\n"+introduction, ask(t, allTools, "Who are you?"+research).Content)
	require.Contains(t, last(newMemoryTools().converse(t, "Which files are here?"+research, allTools)), "ANSWER\nThere are 6 files")
	require.Contains(t, last(newMemoryTools().converse(t, "Translate photo.png"+research, allTools)), "ANSWER\nI pseudo-translated 0 files")
}

func TestV01AsksForPhases(t *testing.T) {
	tools := append(offer(phasesTool), allTools...)
	require.Equal(t, phasesTool, ask(t, tools, "Translate everything, step by step").ToolCalls[0].Function.Name)
	require.Equal(t, "list_files", ask(t, tools, "Translate everything").ToolCalls[0].Function.Name)
	require.Equal(t, "list_files", ask(t, allTools, "Translate everything, step by step").ToolCalls[0].Function.Name)
}
