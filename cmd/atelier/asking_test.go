package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/tools"
	"atelier/workshop/tools/questions"
)

const asking = `
-- model-1 --
{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"format","question":"Which format?","schema":"{\"type\":\"string\",\"enum\":[\"md\",\"txt\"]}","buttons":[{"label":"Markdown","value":"md"},{"label":"Text","value":"txt"}]},{"name":"copies","question":"How many?","schema":"{\"type\":\"integer\",\"maximum\":3}"},{"name":"sure","question":"Sure?","schema":"{\"type\":\"boolean\"}"}]}}}
-- model-2 --
{"text":"Good."}
`

// M-10, M-14: a person at the terminal is asked, and asked again after an
// invalid answer; without a terminal nothing is asked.
func TestM14Terminal(t *testing.T) {
	for _, c := range []struct {
		name, typed string
		there       bool
		want, shown string
	}{
		{"by number and word", "1\n9\n2\nyes\n", true, `"answers":{"copies":2,"format":"md","sure":true}`, "> That does not fit: type a whole number, at most 3.\n> \n? Sure?"},
		{"by label", "Text\n3\nfalse\n", true, `"answers":{"copies":3,"format":"txt","sure":false}`, "  2) Text"},
		{"nobody", "", false, "Error: no user available to answer", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := serveFixture(t, asking)
			e, err := engine.New(engine.Options{Home: t.TempDir(), BaseURL: srv.URL, APIKey: "key", Model: "replay"})
			require.NoError(t, err)
			defer e.Close()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("a"), 0o644))
			wb, err := e.OpenFolder(context.Background(), dir)
			require.NoError(t, err)
			var out bytes.Buffer
			if c.there {
				p := &prompter{e: e, in: bufio.NewReader(strings.NewReader(c.typed)), out: &out}
				defer e.Subscribe(p.notify(context.Background()))()
			}
			msg, err := engine.CallAs[engine.MessageRef](context.Background(), e, "WorkshopSendUserMessage", engine.SendUserMessageParams{WorkbenchID: wb.ID(), Text: "Go"})
			require.NoError(t, err)
			_, err = engine.CallAs[engine.RunAgentResult](context.Background(), e, "WorkshopRunAgent", engine.RunAgentParams{WorkbenchID: wb.ID(), MessageID: msg.MessageID, Headless: !c.there})
			require.NoError(t, err)
			ms := srv.Requests()[1].Messages
			assert.Contains(t, ms[len(ms)-1].Content, c.want)
			assert.Contains(t, out.String(), c.shown)
		})
	}
	assert.False(t, somebodyThere(strings.NewReader(""), os.Stdout))
}

// Ctrl-D ends the run.
func TestAskingEndOfInput(t *testing.T) {
	srv := serveFixture(t, asking)
	e, err := engine.New(engine.Options{Home: t.TempDir(), BaseURL: srv.URL, APIKey: "key", Model: "replay"})
	require.NoError(t, err)
	defer e.Close()
	wb, err := e.OpenFolder(context.Background(), t.TempDir())
	require.NoError(t, err)
	p := &prompter{e: e, in: bufio.NewReader(strings.NewReader("1\n")), out: &bytes.Buffer{}}
	defer e.Subscribe(p.notify(context.Background()))()
	msg, err := engine.CallAs[engine.MessageRef](context.Background(), e, "WorkshopSendUserMessage", engine.SendUserMessageParams{WorkbenchID: wb.ID(), Text: "Go"})
	require.NoError(t, err)
	_, err = engine.CallAs[engine.RunAgentResult](context.Background(), e, "WorkshopRunAgent", engine.RunAgentParams{WorkbenchID: wb.ID(), MessageID: msg.MessageID})
	var info *engine.ErrorInfo
	require.ErrorAs(t, err, &info)
	assert.Equal(t, "USER_CANCELED", info.ErrorCode)
}

// M-14: answers are parsed in the form that the question wants, and the hint
// says in words what is wanted.
func TestM14Replies(t *testing.T) {
	button := []tools.Button{{Label: "Go on", Value: []byte(`"go"`)}}
	for _, c := range []struct {
		schema  string
		buttons []tools.Button
		line    string
		want    string // "" if it is invalid
		wanted  string
	}{
		{`{"type":"array","items":{"type":"string","enum":["a","b","c"]}}`, nil, "1, c", `["a","c"]`, "type numbers from 1 to 3, with commas between them"},
		{`{"type":"array","items":{"type":"string","enum":["a","b","c"]}}`, nil, "4", "", ""},
		{`{"type":"array","items":{"enum":["a","b","c"]},"minItems":2}`, nil, "1", "", "type numbers from 1 to 3, with commas between them, at least 2"},
		{`{"type":"array","items":{"type":"number"},"maxItems":2}`, nil, "1, 2.5", `[1,2.5]`, "type answers with commas between them, at most 2"},
		{`{"type":"array","items":{"type":"number"}}`, nil, "[3]", `[3]`, ""},
		{`{"enum":["yes","no"]}`, nil, "YES", `"yes"`, "type a number from 1 to 2"},
		{`{"anyOf":[{"enum":["go"]},{"type":"string","pattern":"^[+][0-9]+$"}]}`, button, "+1", `"+1"`, "type a number from 1 to 1, or an answer as the question says"},
		{`{"anyOf":[{"enum":["go"]},{"type":"string","pattern":"^[+][0-9]+$"}]}`, button, "much", "", ""},
		{`{"type":"string","minLength":1}`, nil, "", "", "type a text, no shorter than 1"},
		{`{"type":"string","pattern":"^[a-z]+$"}`, nil, "A", "", `type a text of the form "^[a-z]+$"`},
		{`{"const":7}`, nil, "7", `7`, `its form is {"const":7}`},
	} {
		r := questions.ReplyTo(tools.Question{Name: "q", Question: "?", Schema: []byte(c.schema), Buttons: c.buttons})
		got, ok := r.Read(c.line)
		assert.Equal(t, c.want != "", ok, "%s: %s", c.schema, c.line)
		if ok {
			assert.JSONEq(t, c.want, string(got))
		}
		if c.wanted != "" {
			assert.Equal(t, c.wanted, r.Wanted())
		}
	}
}

// M-11: every choice that a terminal offers is accepted, so that the question
// is not repeated.
func TestM14ChoicesAreTaken(t *testing.T) {
	for _, q := range []tools.Question{
		{Schema: []byte(`{"type":"string","enum":["a","b"]}`), Buttons: []tools.Button{{Label: "A", Value: []byte(`"a"`)}, {Label: "C", Value: []byte(`"c"`)}}},
		{Schema: []byte(`{"type":"integer","enum":[10,"ten",20]}`)},
		{Schema: []byte(`{"type":"array","items":{"type":"integer","enum":[10,"ten"]}}`)},
		{Schema: []byte(`{"type":"boolean"}`), Buttons: []tools.Button{{Label: "Yes", Value: []byte(`"yes"`)}}},
	} {
		q.Name = "q"
		r := questions.ReplyTo(q)
		for i := range r.Choices() {
			_, ok := r.Read(fmt.Sprint(i + 1))
			assert.True(t, ok, "%s: %s", q.Schema, r.Choices()[i].Label)
		}
		assert.NotContains(t, r.Wanted(), "from 1 to 0")
	}
}

// M-14: a person who is asked to accept a plan sees it, once for each
// version.
func TestM14PlanIsShown(t *testing.T) {
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"plan_write","arguments":{"title":"Rename","content":"1. Rename the party everywhere"}}}
-- model-2 --
{"call":{"id":"tc-2","name":"ask_user","arguments":{"questions":[{"name":"a","question":"Accept?","schema":"{\"enum\":[\"Accept\",\"Reject\"]}"}]}}}
-- model-3 --
{"call":{"id":"tc-3","name":"ask_user","arguments":{"questions":[{"name":"b","question":"Sure?","schema":"{\"enum\":[\"Accept\",\"Reject\"]}"}]}}}
-- model-4 --
{"text":"Good."}
`)
	ctx := context.Background()
	e, err := engine.New(engine.Options{Home: t.TempDir(), BaseURL: srv.URL, APIKey: "key", Model: "replay"})
	require.NoError(t, err)
	defer e.Close()
	wb, err := e.OpenFolder(ctx, t.TempDir())
	require.NoError(t, err)
	_, err = engine.CallAs[engine.ModeResult](ctx, e, "WorkshopSetMode", engine.SetModeParams{WorkbenchID: wb.ID(), Mode: tools.ModePlan})
	require.NoError(t, err)
	var out bytes.Buffer
	p := &prompter{e: e, in: bufio.NewReader(strings.NewReader("2\n2\n")), out: &out}
	defer e.Subscribe(p.notify(ctx))()
	msg, err := engine.CallAs[engine.MessageRef](ctx, e, "WorkshopSendUserMessage", engine.SendUserMessageParams{WorkbenchID: wb.ID(), Text: "Plan"})
	require.NoError(t, err)
	_, err = engine.CallAs[engine.RunAgentResult](ctx, e, "WorkshopRunAgent", engine.RunAgentParams{WorkbenchID: wb.ID(), MessageID: msg.MessageID, Catalogue: "buildscale"})
	require.NoError(t, err)
	assert.Regexp(t, `(?s)^\nplans/[a-z-]+\.plan:\n.*\n  1\. Rename the party everywhere\n.*\n\? Accept\?\n.*\n\? Sure\?\n`, out.String())
	assert.Equal(t, 1, strings.Count(out.String(), "Rename the party"))
}
