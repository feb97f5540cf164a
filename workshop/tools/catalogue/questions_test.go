package catalogue_test

import (
	"context"
	"encoding/json"
	"io"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/questions"
)

const framework = `{"name":"framework","question":"Which testing framework should I use?","schema":"{\"type\":\"string\",\"enum\":[\"Jest\",\"Vitest\"]}","buttons":[{"label":"Jest","value":"Jest"},{"label":"Vitest","value":"Vitest","variant":"primary"}]}`

// posting is an Env.Post that keeps what it gets.
func (p *profile) posting() *[]tools.Asking {
	var got []tools.Asking
	p.env.Session = nil
	p.env.Post = func(_ context.Context, a tools.Asking) error { got = append(got, a); return nil }
	return &got
}

var uuid7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// B15-01, B15-02, B15-04, C-47: questions for a client that does not wait.
func TestB15AskUser(t *testing.T) {
	bothViews(t, "buildscale", nil, func(t *testing.T, p *profile) {
		posted := p.posting()
		r := p.call("ask_user", `{"questions":[`+framework+`,{"name":"n","question":"How many?","schema":{"type":"integer"}}]}`)
		require.True(t, r.Success, r.Text)
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.Text), &m))
		id := m["question_id"].(string)
		assert.Regexp(t, uuid7, id)
		m["question_id"] = "id"
		b, err := json.Marshal(m)
		require.NoError(t, err)
		assert.JSONEq(t, `{"status":"question_pending","question_id":"id","questions":[
			{"name":"framework","question":"Which testing framework should I use?","schema":{"type":"string","enum":["Jest","Vitest"]},"buttons":[{"label":"Jest","value":"Jest"},{"label":"Vitest","value":"Vitest","variant":"primary"}]},
			{"name":"n","question":"How many?","schema":{"type":"integer"}}]}`, string(b))
		require.Len(t, *posted, 1)
		assert.Equal(t, id, (*posted)[0].ID)
		for range 100 {
			next := p.call("ask_user", `{"questions":[`+framework+`]}`).Data.(questions.Asked).ID
			require.Greater(t, next, id, "B15-04: ids are ordered by time")
			id = next
		}
		p.env.Post = nil
		assert.Equal(t, "Error: no user available to answer", p.call("ask_user", `{"questions":[`+framework+`]}`).Text, "M-14")
	})
}

// B15-01, B15-03, B15-05: what is refused, on the field questions.
func TestB15Refused(t *testing.T) {
	p := newProfile(t, "buildscale", false, nil)
	posted := p.posting()
	q := func(schema, buttons string) string {
		return `{"questions":[{"name":"a","question":"A?","schema":` + schema + `,"buttons":` + buttons + `}]}`
	}
	one := `{"name":"%","question":"A?","schema":"{}"}`
	for args, want := range map[string]string{
		`{"questions":[]}`: "questions array cannot be empty",
		`{"questions":[` + one + `,` + one + `,` + one + `,` + one + `,` + one + `]}`: "at most 4",
		`{"questions":[{"question":"A?","schema":"{}"}]}`:                             "missing field `name`",
		`{"questions":[{"name":"a","schema":"{}"}]}`:                                  "missing field `question`",
		`{"questions":[{"name":"a","question":"A?"}]}`:                                "missing field `schema`",
		`{"questions":[` + one + `,` + one + `]}`:                                     "two questions have the name",
		q(`"{"`, `[]`):                            "not a JSON Schema",
		q(`"nonsense"`, `[]`):                     "not a JSON Schema",
		q(`"[1]"`, `[]`):                          "not a JSON Schema",
		q(`7`, `[]`):                              "not a JSON Schema",
		q(`"{\"type\":5}"`, `[]`):                 "not a JSON Schema",
		q(`{"$ref":"https://example.com"}`, `[]`): "cannot be used",
		q(`{"type":"array"}`, `[{"label":"x","value":"x"}]`):                        "cannot have buttons",
		q(`{"type":["array","null"]}`, `[{"label":"x","value":"x"}]`):               "cannot have buttons",
		q(`{}`, `[{"label":"x","value":null}]`):                                     "a string, a number or a boolean",
		q(`{}`, `[{"label":"x","value":[1]}]`):                                      "a string, a number or a boolean",
		q(`{}`, `[{"label":"x","value":{}}]`):                                       "a string, a number or a boolean",
		q(`{}`, `[{"label":"","value":1}]`):                                         "needs a label",
		q(`{"type":"string","enum":["yes","no"]}`, `[{"label":"Yes","value":"y"}]`): `the button "Yes" answers "y", which its schema refuses`,
		q(`{"type":"integer"}`, `[{"label":"One","value":"1"}]`):                    `the button "One" answers "1", which its schema refuses`,
		q(`{"type":"integer","enum":[1,"two"]}`, `[]`):                              `its enum has "two", which the rest of its schema refuses`,
		q(`{"type":"array","items":{"type":"string","enum":[1]}}`, `[]`):            `its enum has 1, which the rest of its schema refuses`,
		q(`{}`, `[{"label":"x"}]`):                                                  "needs a label and a value",
	} {
		r := p.call("ask_user", args)
		require.False(t, r.Success, "%s: %s", args, r.Text)
		assert.Equal(t, workshop.Invalid, r.Fault.Code, args)
		assert.Equal(t, "questions", r.Fault.Field, args)
		assert.Contains(t, r.Fault.Message, want, args)
	}
	assert.Equal(t, "missing field `questions`", p.call("ask_user", `{}`).Fault.Message)
	for _, ok := range []string{q(`{}`, `[{"label":"x","value":1},{"label":"y","value":true},{"label":"z","value":"s"}]`), q(`"  {\"type\":\"array\"}"`, `null`)} {
		r := p.call("ask_user", ok)
		assert.True(t, r.Success, "%s: %s", ok, r.Text)
	}
	assert.NotEmpty(t, *posted)
}

// B16-01, B16-02, C-21, C-22: without a session only the plan itself counts.
func TestB16ExitPlanMode(t *testing.T) {
	bothViews(t, "buildscale", map[string]string{"plans/document.plan": "x"}, func(t *testing.T, p *profile) {
		p.env.Session = nil
		put := func(path, typ, text string) {
			_, err := p.env.View.Put(ctx, workshop.Path(path), workshop.PutOptions{Type: typ}, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
			require.NoError(t, err)
		}
		put("plans/bold-meadow-revelation.plan", "plan", "1. do it")
		put("plans/empty.plan", "plan", "")
		put("plans/wrong.md", "plan", "x")
		for args, want := range map[string]string{
			`{}`:                                    "missing field `plan_file_path`",
			`{"plan_file_path":"/plans/none.plan"}`: "Plan file not found: /plans/none.plan",
			`{"plan_file_path":"plans//document.plan/"}`: "File is not a plan file: /plans/document.plan",
			`{"plan_file_path":"/plans"}`:                "File is not a plan file: /plans",
			`{"plan_file_path":"/plans/wrong.md"}`:       "The name of a plan file ends in .plan: /plans/wrong.md",
			`{"plan_file_path":"/plans/empty.plan"}`:     "The plan file is empty: /plans/empty.plan",
		} {
			r := p.call("exit_plan_mode", args)
			require.False(t, r.Success, args)
			assert.Equal(t, want, r.Fault.Message)
			if want != "Plan file not found: /plans/none.plan" {
				assert.Equal(t, workshop.Invalid, r.Fault.Code)
				assert.Equal(t, "plan_file_path", r.Fault.Field)
			} else {
				assert.Equal(t, workshop.NotFound, r.Fault.Code)
			}
		}
		r := p.call("exit_plan_mode", `{"plan_file_path":" plans/../plans//bold-meadow-revelation.plan ","allowedPrompts":[1],"pushToRemote":true,"remoteSessionId":"x","remoteSessionUrl":"u","remoteSessionTitle":"t"}`)
		require.True(t, r.Success, r.Text)
		assert.JSONEq(t, `{"mode":"build","plan_file":"/plans/bold-meadow-revelation.plan"}`, r.Text)
	})
}

// M-01, M-22, C-21: the mode and the details of a change outlive the process.
func TestM22Modes(t *testing.T) {
	p := newProfile(t, "buildscale", false, nil)
	var changes []tools.ModeChange
	m := &questions.Modes{Workbench: p.wb, Changed: func(c tools.ModeChange) { changes = append(changes, c) }}
	s, err := m.State(ctx)
	require.NoError(t, err)
	assert.Equal(t, questions.State{Mode: "build"}, s)
	text, err := m.Context(ctx, p.env.View)
	require.NoError(t, err)
	assert.Empty(t, text)
	assert.True(t, workshop.IsFault(m.SetMode(ctx, tools.ModeChange{Mode: "x"}), workshop.Invalid))
	require.NoError(t, m.SetMode(ctx, tools.ModeChange{Mode: "plan"}))
	text, err = m.Context(ctx, p.env.View)
	require.NoError(t, err)
	assert.Contains(t, text, "You are in Plan Mode")
	_, err = p.env.View.Put(ctx, "plans/a.plan", workshop.PutOptions{Type: "plan"}, func(w io.Writer) error { _, err := io.WriteString(w, "the plan itself"); return err })
	require.NoError(t, err)
	require.NoError(t, m.SetMode(ctx, tools.ModeChange{Mode: "build", PlanFile: "plans/a.plan", Details: map[string]any{"remoteSessionId": "r"}}))
	text, err = (&questions.Modes{Workbench: p.wb}).Context(ctx, p.env.View)
	require.NoError(t, err)
	assert.Contains(t, text, "the plan itself")
	assert.Len(t, changes, 2)
	rs, err := p.wb.Conversation().Records()
	require.NoError(t, err)
	last := rs[len(rs)-1]
	assert.Equal(t, "mode_changed", last.EventKind)
	assert.Equal(t, map[string]any{"mode": "build", "plan_file": "/plans/a.plan", "remoteSessionId": "r"}, last.Metadata)
	require.NoError(t, p.env.View.Remove(ctx, "plans/a.plan"))
	text, err = m.Context(ctx, p.env.View)
	require.NoError(t, err)
	assert.Contains(t, text, "cannot be read any more")
}

// M-23: the descriptions carry the checklist.
func TestM23Checklist(t *testing.T) {
	p := newProfile(t, "buildscale", false, nil)
	said := map[string]string{}
	for _, b := range p.cat.Bindings() {
		said[b.Name] = b.Description
	}
	for _, s := range []string{`exactly "Accept"`, "button click", "create the plan, ask the user, exit plan mode", "3 random words", `file_type:"plan"`} {
		assert.Contains(t, said["exit_plan_mode"], s)
	}
	assert.Contains(t, said["ask_user"], `{"type":"string","enum":["Accept","Reject"]}`)
	w, err := json.Marshal(newProfile(t, "workshop", false, nil).cat.Tools())
	require.NoError(t, err)
	assert.Contains(t, string(w), `"ask_user"`, "A-19")
}
