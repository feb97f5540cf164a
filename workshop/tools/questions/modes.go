package questions

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/provenance"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

// Modes keeps the mode of a workbench's session in its settings, so that it
// outlives the process. It implements tools.Modes.
type Modes struct {
	Workbench *workshop.Workbench
	// Changed is told of each change; nil tells nobody.
	Changed func(tools.ModeChange)
	// NoExit says that the model has no tool that leaves plan mode; the user does.
	NoExit bool

	mu sync.Mutex // one change at a time
}

// The settings of a workbench.
const (
	settingMode     = "session_mode"
	settingApproval = "session_approval"
)

// State is the mode of a session.
type State struct {
	Mode     string        `json:"mode"` // tools.ModePlan or tools.ModeBuild
	PlanFile workshop.Path `json:"plan_file,omitempty"`
}

// State reads the mode; a session begins in build mode (M-01).
func (m *Modes) State(ctx context.Context) (State, error) {
	s := State{Mode: tools.ModeBuild}
	return s, m.load(ctx, settingMode, &s)
}

// SetMode implements tools.Modes. It also leaves a record in the conversation.
func (m *Modes) SetMode(ctx context.Context, c tools.ModeChange) error {
	if c.Mode != tools.ModePlan && c.Mode != tools.ModeBuild {
		return workshop.Faultf(workshop.Invalid, "mode must be %s or %s", tools.ModePlan, tools.ModeBuild).OnField("mode")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.save(ctx, settingApproval, approval{}); err != nil { // an approval counts once
		return err
	}
	if err := m.save(ctx, settingMode, State{c.Mode, c.PlanFile}); err != nil {
		return err
	}
	conv := m.Workbench.Conversation()
	meta := map[string]any{"mode": c.Mode}
	if c.PlanFile != "" {
		meta["plan_file"] = "/" + string(c.PlanFile)
	}
	for k, v := range c.Details {
		meta[k] = v
	}
	if err := conv.Append(workshop.Record{Type: workshop.TypeSystem, MessageID: conv.NewMessageID("s-"), EventKind: "mode_changed", Metadata: meta}); err != nil {
		return err
	}
	if m.Changed != nil {
		m.Changed(c)
	}
	return nil
}

// approval is what the user last said to a question about a plan.
type approval struct {
	Question string                   `json:"question,omitempty"`
	Plans    map[workshop.Path]string `json:"plans,omitempty"` // hashes when the question was put
	Accepted bool                     `json:"accepted,omitempty"`
}

// Asked implements tools.Modes: what was agreed to before does not count once
// something new is asked, and the plans the user sees now are noted.
func (m *Modes) Asked(ctx context.Context, v workshop.View, a tools.Asking) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := approval{Question: a.ID}
	if approves(a) != "" {
		entries, err := v.List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
		if err != nil {
			return err
		}
		next.Plans = map[workshop.Path]string{}
		for _, e := range entries {
			if e.IsDir || !strings.HasSuffix(string(e.Path), files.PlanExt) || e.Refused != "" {
				continue
			}
			if e, err = v.Stat(ctx, e.Path); err != nil {
				return err
			}
			next.Plans[e.Path] = e.Hash
		}
	}
	return m.save(ctx, settingApproval, next)
}

// Answered implements tools.Modes.
func (m *Modes) Answered(ctx context.Context, a tools.Asking, answers tools.Answers) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ap approval
	if err := m.load(ctx, settingApproval, &ap); err != nil || ap.Question != a.ID {
		return err
	}
	var answer string
	name := approves(a)
	ap.Accepted = name != "" && json.Unmarshal(answers[name], &answer) == nil && answer == accept
	return m.save(ctx, settingApproval, ap)
}

// Approved implements tools.Modes.
func (m *Modes) Approved(ctx context.Context, plan workshop.Entry) error {
	var ap approval
	if err := m.load(ctx, settingApproval, &ap); err != nil {
		return err
	}
	why := ""
	switch {
	case !ap.Accepted:
		why = "the last answer of the user is not Accept to a question with the choices Accept and Reject"
	case ap.Plans[plan.Path] != plan.Hash:
		why = "the user accepted before this plan was written as it is now"
	default:
		return nil
	}
	return workshop.Faultf(workshop.Invalid, "plan approval required: %s. Call ask_user with the schema {\"type\":\"string\",\"enum\":[\"Accept\",\"Reject\"]} and wait for the answer; what the user writes in the chat does not count", why).OnField("plan_file_path")
}

// The answers to the question about a plan.
const (
	accept = "Accept"
	reject = "Reject"
)

// approves returns the name of the question about a plan: the one question whose
// choices are Accept and Reject; "" when there is none.
func approves(a tools.Asking) string {
	name := ""
	for _, q := range a.Questions {
		var s jsonschema.Schema
		if json.Unmarshal(q.Schema, &s) != nil || len(s.Enum) != 2 || !(s.Enum[0] == accept && s.Enum[1] == reject || s.Enum[0] == reject && s.Enum[1] == accept) {
			continue
		}
		if name != "" {
			return "" // which one would count?
		}
		name = q.Name
	}
	return name
}

func (m *Modes) load(ctx context.Context, key string, into any) error {
	v, err := m.Workbench.Setting(ctx, key)
	if err != nil || v == "" {
		return err
	}
	return json.Unmarshal([]byte(v), into)
}

func (m *Modes) save(ctx context.Context, key string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return m.Workbench.SetSetting(ctx, key, string(b))
}

// planShown is the most bytes of a plan that stand in the system context; the
// rest is read with the tools.
const planShown = 16 << 10

// Context returns what the model is told of the mode with each request: the rules of
// plan mode, or the plan that is carried out (M-22). It is "" in build mode
// without a plan.
func (m *Modes) Context(ctx context.Context, v workshop.View) (string, error) {
	s, err := m.State(ctx)
	switch {
	case err != nil:
		return "", err
	case s.Mode == tools.ModePlan && m.NoExit:
		return planRulesByHand, nil
	case s.Mode == tools.ModePlan:
		return planRules, nil
	case s.PlanFile == "":
		return "", nil
	}
	src, err := v.Open(ctx, s.PlanFile)
	if err != nil {
		return fmt.Sprintf("You are in Build Mode. The plan the user accepted was /%s, which cannot be read any more.", s.PlanFile), nil
	}
	defer src.Close()
	provenance.Found(ctx, s.PlanFile)
	b, err := io.ReadAll(io.NewSectionReader(src, 0, min(src.Size(), planShown)))
	if err != nil {
		return "", err
	}
	text := textclip.Bytes(strings.ToValidUTF8(string(b), "\uFFFD"), planShown)
	if src.Size() > planShown {
		text += "\n… (the plan goes on; read the file for the rest)"
	}
	return fmt.Sprintf("You are in Build Mode. Carry out the plan that the user accepted, /%s:\n\n%s", s.PlanFile, text), nil
}

const planRules = `You are in Plan Mode: find out what is to be done and write a plan; nothing but plans can be written.
1. Write the plan as a .plan file of type plan below /plans/, under a name of three random words.
2. At once call ask_user with a question whose schema is {"type":"string","enum":["Accept","Reject"]}, with buttons for both.
3. Accept: call exit_plan_mode with the plan's path. Reject: ask what to change, revise the plan, and ask again.
Only the answer to that question counts; a chat message such as "go ahead" does not.`

const planRulesByHand = `You are in Plan Mode: find out what is to be done; nothing can be changed. Write the plan as your answer: which files you would change or make, and how. The user switches to Build Mode when they agree; then you carry it out.`
