package pseudo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
)

// memoryTools answers the tools from memory, page by page, as the real ones do.
type memoryTools struct {
	files  []file
	texts  map[string][]string // segments by path
	refuse func(id, text string) string
	pageOf int // segments a page at most; 0: what was asked
	calls  []llm.ToolCall
}

func offer(names ...string) []llm.Tool {
	var tools []llm.Tool
	for _, n := range names {
		tools = append(tools, llm.Tool{Type: "function", Function: llm.FunctionDef{Name: n}})
	}
	return tools
}

var allTools = offer("list_files", "read_file", "get_segments", "put_translations")

func (d *memoryTools) call(c llm.ToolCall) string {
	d.calls = append(d.calls, c)
	var a struct {
		arguments
		Limit int
	}
	if err := json.Unmarshal([]byte(c.Function.Arguments), &a); err != nil {
		return "Error: invalid arguments: " + err.Error()
	}
	switch c.Function.Name {
	case "list_files":
		out, _ := json.Marshal(d.files)
		return string(out)
	case "get_segments":
		texts, ok := d.texts[a.Path]
		if !ok {
			return "Error: " + a.Path + " cannot be opened: it is encrypted\nmore"
		}
		n := a.Limit
		if d.pageOf > 0 {
			n = min(n, d.pageOf)
		}
		end := min(len(texts), a.Offset+n)
		pg := map[string]any{"path": a.Path, "total": len(texts), "offset": a.Offset, "has_more": end < len(texts)}
		segs := []map[string]any{}
		for i := a.Offset; i < end; i++ {
			segs = append(segs, map[string]any{"id": fmt.Sprint("s", i), "text": texts[i], "place": "somewhere"})
		}
		pg["segments"] = segs
		out, _ := json.Marshal(pg)
		return string(out)
	case "put_translations":
		rejected := []map[string]string{}
		n := 0
		for _, t := range a.Translations {
			if d.refuse != nil {
				if why := d.refuse(t.ID, t.Text); why != "" {
					rejected = append(rejected, map[string]string{"id": t.ID, "reason": why})
					continue
				}
			}
			var i int
			fmt.Sscanf(t.ID, "s%d", &i)
			d.texts[a.Path][i] = t.Text
			n++
		}
		out, _ := json.Marshal(map[string]any{"path": a.Path, "replaced": n, "rejected": rejected})
		return string(out)
	}
	return "Error: unknown tool: " + c.Function.Name
}

// talk runs a conversation to its end and returns it.
func (d *memoryTools) converse(t *testing.T, request string, tools []llm.Tool) []llm.Message {
	t.Helper()
	messages := []llm.Message{{Role: llm.RoleSystem, Content: "…"}, {Role: llm.RoleUser, Content: request}}
	for range 50 {
		resp, err := New().Chat(t.Context(), llm.Request{Model: Model, Messages: messages, Tools: tools})
		require.NoError(t, err)
		require.LessOrEqual(t, len(resp.ToolCalls), callsPerTurn)
		messages = append(messages, llm.Message{Role: llm.RoleAssistant, Content: resp.Content, ToolCalls: resp.ToolCalls})
		if len(resp.ToolCalls) == 0 {
			require.Equal(t, "stop", resp.FinishReason)
			return messages
		}
		require.Equal(t, "tool_calls", resp.FinishReason)
		for _, c := range resp.ToolCalls {
			messages = append(messages, llm.Message{Role: llm.RoleTool, ToolCallID: c.ID, Content: d.call(c)})
		}
	}
	require.Fail(t, "the model did not come to an end")
	return nil
}

func last(ms []llm.Message) string { return ms[len(ms)-1].Content }

func newMemoryTools() *memoryTools {
	d := &memoryTools{texts: map[string][]string{"a.docx": {"Hello world", "42"}, "notes.md": {"Read me"}}}
	for i := range 230 {
		d.texts["big.xlsx"] = append(d.texts["big.xlsx"], fmt.Sprintf("Row number %d", i))
	}
	d.files = []file{{Path: "a.docx", Kind: "docx"}, {Path: "big.xlsx", Kind: "xlsx"}, {Path: "locked.docx", Kind: "docx"},
		{Path: "main.go", Kind: "text"}, {Path: "notes.md", Kind: "text"}, {Path: "photo.png", Kind: "image"}}
	return d
}

func TestTranslatesEveryFile(t *testing.T) {
	for _, pageOf := range []int{0, 7} {
		d := newMemoryTools()
		d.pageOf = pageOf
		ms := d.converse(t, "Please translate everything into German", allTools)
		require.Equal(t, []string{Translate("Hello world"), "42"}, d.texts["a.docx"])
		require.Equal(t, Translate("Read me"), d.texts["notes.md"][0])
		for i, s := range d.texts["big.xlsx"] {
			require.Equal(t, Translate(fmt.Sprintf("Row number %d", i)), s)
		}
		require.Contains(t, last(ms), "3 files into German")
		require.Contains(t, last(ms), "big.xlsx: 230 segments")
		require.Contains(t, last(ms), "locked.docx: given up: locked.docx cannot be opened: it is encrypted\n")
		require.NotContains(t, last(ms), "main.go")
		require.Contains(t, last(ms), "offline model")
		require.Contains(t, d.calls[1].Function.Arguments, `"path":"a.docx"`)
	}
}

func TestTranslatesOnlyTheFilesNamed(t *testing.T) {
	d := newMemoryTools()
	ms := d.converse(t, "Übersetze notes.md und photo.png ins Deutsche", allTools)
	require.Equal(t, "Hello world", d.texts["a.docx"][0])
	require.Equal(t, Translate("Read me"), d.texts["notes.md"][0])
	require.Contains(t, last(ms), "photo.png: I cannot translate this kind of file")
	require.Contains(t, last(ms), "German")
}

func TestRefusedTranslationsAreTriedOnceMorePlainly(t *testing.T) {
	d := newMemoryTools()
	d.refuse = func(id, text string) string {
		if strings.Contains(text, "[") {
			return "too long"
		}
		return ""
	}
	d.converse(t, "translate a.docx", allTools)
	require.Equal(t, []string{Plain("Hello world"), "42"}, d.texts["a.docx"])

	d = newMemoryTools()
	d.refuse = func(id, text string) string { return "read-only" }
	ms := d.converse(t, "translate a.docx", allTools)
	require.Contains(t, last(ms), "a.docx: 0 segments, 2 refused and left as they were")
	puts := 0
	for _, c := range d.calls {
		if c.Function.Name == "put_translations" {
			puts++
		}
	}
	require.Equal(t, 2, puts)
}

func TestAnswersSegmentsItWasGiven(t *testing.T) {
	d := newMemoryTools()
	get := llm.ToolCall{ID: "segments", Type: "function", Function: llm.FunctionCall{Name: "get_segments", Arguments: `{"path":"a.docx","limit":50}`}}
	ms := []llm.Message{{Role: llm.RoleUser, Content: "Translate the document a.docx to Polish."},
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{get}}, {Role: llm.RoleTool, ToolCallID: "segments", Content: d.call(get)}}
	resp, err := New().Chat(t.Context(), llm.Request{Model: Model, Messages: ms, Tools: offer("put_translations")})
	require.NoError(t, err)
	require.Len(t, resp.ToolCalls, 1)
	var args putArgs
	require.NoError(t, json.Unmarshal([]byte(resp.ToolCalls[0].Function.Arguments), &args))
	require.Equal(t, putArgs{Path: "a.docx", Language: "Polish", Translations: []translation{{"s0", Translate("Hello world")}, {"s1", "42"}}}, args)
}

func TestInterruptedCallsAreMadeAgain(t *testing.T) {
	d := newMemoryTools()
	ms := d.converse(t, "translate a.docx", allTools)
	cut := ms[:0:0]
	for _, m := range ms {
		if m.Role == llm.RoleTool && strings.Contains(m.Content, "replaced") {
			m.Content = "Error: interrupted: the run ended before this call finished"
			cut = append(cut, m)
			break
		}
		cut = append(cut, m)
	}
	resp, err := New().Chat(t.Context(), llm.Request{Model: Model, Messages: cut, Tools: allTools})
	require.NoError(t, err)
	require.Equal(t, "put_translations", resp.ToolCalls[0].Function.Name)
}

func TestListsFiles(t *testing.T) {
	d := newMemoryTools()
	ms := d.converse(t, "What files are here?", allTools)
	require.Contains(t, last(ms), "There are 6 files")
	require.Contains(t, last(ms), "- photo.png (image, 0 bytes)")
	require.Len(t, d.calls, 1)
	require.Contains(t, last((&memoryTools{}).converse(t, "list the files", allTools)), "no files")
}

func TestSaysWhatItIs(t *testing.T) {
	for _, q := range []string{"Write me a poem", "", "Summarise the report"} {
		d := newMemoryTools()
		ms := d.converse(t, q, allTools)
		require.Empty(t, d.calls)
		require.Equal(t, introduction, last(ms))
	}
	require.Equal(t, introduction, last(newMemoryTools().converse(t, "translate all", nil)), "without tools there is nothing it can do")
}

func TestAnswerIsAFunctionOfTheRequest(t *testing.T) {
	a, b := newMemoryTools(), newMemoryTools()
	require.Equal(t, a.converse(t, "translate all to French", allTools), b.converse(t, "translate all to French", allTools))
	ids := map[string]bool{}
	for _, c := range a.calls {
		require.False(t, ids[c.ID], "call id %s is used twice", c.ID)
		ids[c.ID] = true
	}
}

func TestStreams(t *testing.T) {
	var parts []string
	var calls []llm.ToolCall
	ms := []llm.Message{{Role: llm.RoleUser, Content: "translate"}}
	resp, err := New().Chat(t.Context(), llm.Request{Model: Model, Messages: ms, Tools: allTools, Stream: true, OnDelta: func(s string) { parts = append(parts, s) }, OnCall: func(c llm.ToolCall) { calls = append(calls, c) }})
	require.NoError(t, err)
	require.Greater(t, len(parts), 1)
	require.NotContains(t, parts, "")
	require.Equal(t, resp.Content, strings.Join(parts, ""))
	require.Equal(t, resp.ToolCalls, calls)
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ms := []llm.Message{{Role: llm.RoleUser, Content: "hello"}}
	resp, err := New().Chat(ctx, llm.Request{Model: Model, Messages: ms, Stream: true, OnDelta: func(string) { cancel() }})
	var le *llm.Error
	require.ErrorAs(t, err, &le)
	require.Equal(t, llm.KindCanceled, le.Kind)
	require.True(t, le.Emitted)
	require.ErrorIs(t, err, context.Canceled)
	require.NotEmpty(t, resp.Content)
	require.True(t, strings.HasPrefix(introduction, resp.Content))
}

func TestUnderstand(t *testing.T) {
	for text, want := range map[string]request{
		"Translate the Sales sheet to English and convert prices to USD": {want: wantTranslation, language: "English"},
		"translate this German contract into French":                     {want: wantTranslation, language: "French"},
		"Traduce todo al español":                                        {want: wantTranslation, language: "Spanish"},
		"Bitte übersetzen":                                               {want: wantTranslation, language: "English"},
		"Переведи на русский":                                            {want: wantTranslation, language: "Russian"},
		"spanish translation please":                                     {want: wantTranslation, language: "Spanish"},
		"translate from german to the italian language":                  {want: wantTranslation, language: "Italian"},
		"which documents do you see":                                     {want: wantList, language: "English"},
		"hello":                                                          {want: wantOther, language: "English"},
	} {
		got := understand(text)
		got.text = ""
		require.Equal(t, want, got, text)
	}
}
