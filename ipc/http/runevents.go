package httpapi

import (
	"fmt"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/approvals"
	"atelier/workshop/tools"
	"atelier/workshop/tools/attachments"
)

// The types of a run's events (V-06). done, stopped and error are always the
// last.
const (
	eventSessionInit = "session_init"
	eventThought     = "thought"
	eventCall        = "call"
	eventObservation = "observation"
	eventFileUpdated = "file_updated"
	eventChunk       = "chunk"
	eventError       = "error"
	eventDone        = "done"
	eventPing        = "ping"
	eventStopped     = "stopped"

	eventQuestionPending = "question_pending" // M-10
	eventModeChanged     = "mode_changed"     // M-22
	eventPatchProposed   = "patch_proposed"   // P-11
)

// sessionInit is the first event. Sent later, it tells a returning follower
// how many events were dropped.
type sessionInit struct {
	RunID       string `json:"run_id"`
	WorkspaceID string `json:"workspace_id"`
	MessageID   string `json:"message_id"`
	Model       string `json:"model,omitempty"` // if the request named one
	Missed      int64  `json:"missed,omitempty"`

	Attachments []attachments.Attachment `json:"attachments,omitempty"` // of the message, as they are in the draft
}

type chunk struct {
	MessageID string `json:"message_id"`
	Text      string `json:"text"`
}

// thought is a remark of the run about itself: waits, repetition, shortened
// history.
type thought struct {
	Kind string `json:"kind"` // see translate
	Text string `json:"text"`
}

type call struct {
	CallID string   `json:"call_id"`
	Tool   string   `json:"tool"`
	Path   string   `json:"path,omitempty"`
	Paths  []string `json:"paths,omitempty"` // all of them, if there are several
}

type observation struct {
	CallID  string   `json:"call_id"`
	Tool    string   `json:"tool"`
	Path    string   `json:"path,omitempty"`
	Success bool     `json:"success"`
	Paths   []string `json:"paths,omitempty"`
}

type fileUpdated struct {
	Path    string `json:"path"`
	InDraft bool   `json:"in_draft"` // not published yet
	Change  string `json:"change"`   // written, added, updated, removed
}

type runError struct {
	Message   string `json:"error"`
	Code      string `json:"code"`
	Hint      string `json:"hint,omitempty"`
	Retryable bool   `json:"retryable"`
}

type stopped struct {
	Reason string `json:"reason"`
}

type questionPending struct {
	QuestionID string             `json:"question_id"`
	Questions  []tools.Question   `json:"questions"`
	CreatedAt  string             `json:"created_at"`
	Approval   *approvals.Request `json:"approval,omitempty"` // the call that needs approval, if the question is about approval
}

type modeChanged struct {
	Mode     string         `json:"mode"`
	PlanFile string         `json:"plan_file"`
	Details  map[string]any `json:"details,omitempty"`
}

// patchProposed is a patch that the editor applies to open files.
type patchProposed struct {
	SessionID string `json:"session_id"`
	tools.Proposal
}

// translate converts a notification of the engine to a run's events.
func translate(n engine.Notification, add func(kind string, data any)) {
	switch p := n.Params.(type) {
	case agent.StreamDelta:
		add(eventChunk, chunk{p.MessageID, p.TokenDelta})
	case agent.ToolExecuting:
		add(eventCall, call{p.ToolCallID, p.ToolName, p.Path, p.Paths})
	case agent.ToolComplete:
		add(eventObservation, observation{p.ToolCallID, p.ToolName, p.Path, p.Success, p.Paths})
		for _, f := range p.Changed {
			add(eventFileUpdated, fileUpdated{f.Path, true, f.Change})
		}
	case engine.WorkbenchFilesChanged:
		filesChanged("added", p.Added, add)
		filesChanged("updated", p.Updated, add)
		filesChanged("removed", p.Removed, add)
	case agent.QuestionPending:
		add(eventQuestionPending, questionPending{p.QuestionID, p.Questions, p.CreatedAt, p.Approval})
	case agent.ModeChanged:
		add(eventModeChanged, modeChanged{p.Mode, p.PlanFile, p.Details})
	case agent.PatchProposed:
		add(eventPatchProposed, patchProposed{p.SessionID, p.Proposal})
	case agent.LoopWarning:
		add(eventThought, thought{"loop_warning", fmt.Sprintf("The model repeats %s without progress (turn %d).", p.ToolName, p.Turn)})
	case agent.RateLimitWarning:
		add(eventThought, thought{"rate_limit", p.WarningMessage})
	case agent.ContextCompacted:
		add(eventThought, thought{"context_compacted", fmt.Sprintf("Earlier parts of the conversation were shortened for the model: %d messages summarised, %d results cut, %d messages left out.", p.Summarised, p.Shortened, p.Dropped)})
	case agent.ContextCut:
		add(eventThought, thought{"context_cut", fmt.Sprintf("The endpoint left out a part of the request, since its window has %d tokens: %s.", p.Window, p.Hint)})
	case agent.InstructionsUnused:
		for _, i := range p.Instructions {
			add(eventThought, thought{"instructions_unused", fmt.Sprintf("%s of the %s is not used: %s.", i.Name, i.Source, i.Why)})
		}
	case agent.ServerProblems:
		for _, s := range p.Servers {
			add(eventThought, thought{"tool_server", fmt.Sprintf("The tools of %s cannot be used.", s.Server)})
		}
	case agent.ToolsReduced:
		add(eventThought, thought{"tools_reduced", fmt.Sprintf("The model's window is small (%d tokens): its tools are described in short.", p.Window)})
	case agent.PhaseStarted:
		add(eventThought, thought{"phase", "Phase: " + p.Phase + "."})
	case agent.ImplementProgress:
		add(eventThought, thought{"item", fmt.Sprintf("Item %d of %d: %s", p.CurrentItem, p.TotalItems, p.ItemLabel)})
	case agent.SteerTaken:
		add(eventThought, thought{"message_taken", p.MessageID})
	}
}

func filesChanged(change string, paths []string, add func(kind string, data any)) {
	for _, path := range paths {
		add(eventFileUpdated, fileUpdated{path, false, change})
	}
}
