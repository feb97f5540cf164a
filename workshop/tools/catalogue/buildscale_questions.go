package catalogue

import (
	"encoding/json"
	"reflect"

	"atelier/workshop/tools"
	"atelier/workshop/tools/questions"
)

type askUserArgs struct {
	Questions []askQuestion `json:"questions" jsonschema:"1 to 4 questions"`
}

type askQuestion struct {
	Name     string          `json:"name" jsonschema:"Name of the answer"`
	Question string          `json:"question" jsonschema:"What the user reads"`
	Schema   json.RawMessage `json:"schema" jsonschema:"JSON Schema of the answer, as a string, such as {\"type\":\"string\",\"enum\":[\"Yes\",\"No\"]}"`
	Buttons  []askButton     `json:"buttons,omitempty" jsonschema:"Answers to click, for questions with one answer"`
}

type askButton struct {
	Label   string          `json:"label" jsonschema:"What the button says"`
	Value   json.RawMessage `json:"value" jsonschema:"The answer it gives: a string, a number or a boolean"`
	Variant string          `json:"variant,omitempty" jsonschema:"How it looks, such as primary, secondary or destructive"`
}

const askUserText = `Ask the user and wait for the answers: when the request is ambiguous, when several ways are good and the user's preference matters, before something that cannot be undone, or when something is missing. Never ask what the files can tell.
For a plan: write the plan file first, then ask with the schema {"type":"string","enum":["Accept","Reject"]} and the buttons Accept and Reject, and call exit_plan_mode only when the answer is exactly "Accept".`

const exitPlanModeText = `Go from Plan Mode to Build Mode, at once. Call it only when ALL of this is true:
1. You just received a response from ask_user.
2. The response is exactly "Accept" (not "accept", not something similar).
3. It came from a button click, not from a chat message: "go ahead" or "looks good" in the chat is no approval.
4. The question was an Accept/Reject question that you asked after the plan was written.
5. The plan file exists, has file_type="plan", the extension .plan, and content.
The order is always: create the plan, ask the user, exit plan mode. Plan files have unique names of 3 random words, such as /plans/gleeful-tangerine-expedition.plan, never names like implementation.plan; plan_write makes one, or write with file_type:"plan".
On Reject, ask what to change, revise the plan and ask again.`

// askUser binds ask_user, for catalogues of any style.
func askUser(t *tools.Tool) tools.Binding {
	b := tools.Bind("ask_user", askUserText, t,
		func(_ *tools.Env, a askUserArgs) (questions.AskArgs, error) {
			var out questions.AskArgs
			for _, q := range a.Questions {
				one := tools.Question{Name: q.Name, Question: q.Question, Schema: q.Schema}
				for _, b := range q.Buttons {
					one.Buttons = append(one.Buttons, tools.Button(b))
				}
				out.Questions = append(out.Questions, one)
			}
			return out, nil
		},
		func(_ *tools.Env, _ askUserArgs, r questions.Asked) (any, error) { return r, nil }).Gives(reflect.TypeFor[questions.Asked]())
	asString(b.Schema.Properties["questions"].Items, "schema")
	return b
}

type exitPlanModeArgs struct {
	Plan    string          `json:"plan_file_path" jsonschema:"Path of the plan file, which ends in .plan"`
	Prompts json.RawMessage `json:"allowedPrompts,omitempty" jsonschema:"Recorded with the change"`
	Push    json.RawMessage `json:"pushToRemote,omitempty" jsonschema:"Recorded with the change"`
	Session json.RawMessage `json:"remoteSessionId,omitempty" jsonschema:"Recorded with the change"`
	URL     json.RawMessage `json:"remoteSessionUrl,omitempty" jsonschema:"Recorded with the change"`
	Title   json.RawMessage `json:"remoteSessionTitle,omitempty" jsonschema:"Recorded with the change"`
}

// details returns the members that are only recorded (C-21).
func (a exitPlanModeArgs) details() map[string]any {
	out := map[string]any{}
	for name, v := range map[string]json.RawMessage{"allowedPrompts": a.Prompts, "pushToRemote": a.Push,
		"remoteSessionId": a.Session, "remoteSessionUrl": a.URL, "remoteSessionTitle": a.Title} {
		if len(v) > 0 && string(v) != "null" {
			out[name] = v
		}
	}
	return out
}

func exitPlanMode(t *tools.Tool) tools.Binding {
	return tools.Bind("exit_plan_mode", exitPlanModeText, t,
		func(_ *tools.Env, a exitPlanModeArgs) (questions.ExitArgs, error) {
			p, err := clamp("plan_file_path", a.Plan)
			return questions.ExitArgs{Plan: p, Shown: absolute(p), Details: a.details()}, err
		},
		func(_ *tools.Env, _ exitPlanModeArgs, r questions.Exited) (any, error) { return r, nil })
}
