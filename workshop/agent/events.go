package agent

import (
	"reflect"
	"time"

	"atelier/llm"
	"atelier/workshop/approvals"
	"atelier/workshop/tools"
)

// Event is one notification to a client: the RPC method name and its params,
// a struct whose first member is workbench_id.
type Event struct {
	Method string
	Params any
	// Position is the event's place among those of its workbench, 0 until who
	// hands events to clients has given it one.
	Position int64
}

// Sink takes events. Emit must not block for long and must not call back into
// the run.
type Sink interface{ Emit(Event) }

type discard struct{}

func (discard) Emit(Event) {}

// The methods of the events this package emits.
const (
	EventStreamDelta      = "WorkshopAssistantStreamDelta"
	EventMessageComplete  = "WorkshopAssistantMessageComplete"
	EventToolExecuting    = "WorkshopToolExecuting"
	EventToolComplete     = "WorkshopToolComplete"
	EventLoopWarning      = "WorkshopAgentLoopWarning"
	EventRateLimitWarning = "WorkshopRateLimitWarning"
	EventRunQueued        = "WorkshopRunQueued"
	EventContextCompacted = "WorkshopContextCompacted"
	EventContextCut       = "WorkshopContextCut"
	EventToolsReduced     = "WorkshopToolsReduced"
	EventNotInstructed    = "WorkshopInstructionsUnused"
	EventQuestionPending  = "WorkshopQuestionPending"
	EventModeChanged      = "WorkshopModeChanged"
	EventPhaseStarted     = "WorkshopPhaseStarted"
	EventPhaseCompleted   = "WorkshopPhaseCompleted"
	EventProgress         = "WorkshopImplementProgress"
	EventPatchProposed    = "SessionPatchProposed"
	EventSteerQueued      = "WorkshopSteerQueued"
	EventSteerTaken       = "WorkshopSteerTaken"
	EventServers          = "WorkshopToolServers"
)

// RunQueued says that a run waits for its turn on a server of several users, or that it no
// longer does and is not begun.
type RunQueued struct {
	WorkbenchID string `json:"workbench_id"`
	MessageID   string `json:"message_id"`
	Ahead       int    `json:"ahead"`          // runs that have their turn before it
	Over        string `json:"over,omitempty"` // why it is not begun, for people
}

// StreamDelta is a piece of an assistant message as it is written (I-22).
type StreamDelta struct {
	WorkbenchID string `json:"workbench_id"`
	MessageID   string `json:"message_id"`
	TokenDelta  string `json:"token_delta"`
}

// MessageComplete says that the final text of a run is stored (I-23).
type MessageComplete struct {
	WorkbenchID string `json:"workbench_id"`
	MessageID   string `json:"message_id"`
	// FinishReason is there when the text ends before its end: "length" (the
	// longest answer, or the window) or "content_filter".
	FinishReason string `json:"finish_reason,omitempty"`
}

// cutReason returns why resp ends before its end; "" when it does not.
func cutReason(resp llm.ChatResponse) string {
	if resp.FinishReason == "stop" || len(resp.ToolCalls) > 0 {
		return ""
	}
	return resp.FinishReason
}

// ToolExecuting says that a tool call begins (I-20).
type ToolExecuting struct {
	WorkbenchID string `json:"workbench_id"`
	ToolName    string `json:"tool_name"`
	ToolCallID  string `json:"tool_call_id"`
	Path        string `json:"path,omitempty"` // the file the call is about, as it names it; of a URI its path
	// Paths are all files that the call names, when they are more than one: from
	// and to, those that are read together, those of a patch.
	Paths []string `json:"paths,omitempty"`
	// Args are the arguments as the model wrote them. Clients of the protocol have
	// them from the conversation.
	Args string `json:"-"`
}

// ToolComplete says that a tool call has ended, one way or another (I-21).
type ToolComplete struct {
	WorkbenchID string `json:"workbench_id"`
	ToolName    string `json:"tool_name"`
	ToolCallID  string `json:"tool_call_id"`
	Path        string `json:"path,omitempty"`
	Success     bool   `json:"success"`
	Unchanged   bool   `json:"unchanged,omitempty"` // a tool that can change files has changed none
	// Elapsed is the time the call took. Clients have it from the tool log: a
	// recording of the events is the same each time it is played.
	Elapsed time.Duration `json:"-"`
	// Result is what the conversation keeps of the result. Clients of the protocol
	// have it from there.
	Result string `json:"-"`
	// Paths are as in WorkshopToolExecuting.
	Paths []string `json:"paths,omitempty"`
	// Changed are the files that the call changed in the draft, the first 100.
	Changed        []ChangedFile `json:"changed,omitempty"`
	ChangedOmitted int           `json:"changed_omitted,omitempty"` // how many more
}

// ChangedFile is a file that a call changed.
type ChangedFile struct {
	Path   string `json:"path"`
	Change string `json:"change"` // "written" or "removed"
}

// LoopWarning says that the model repeats a call that gives the same result
// again and again (W-12, I-24).
type LoopWarning struct {
	WorkbenchID string `json:"workbench_id"`
	ToolName    string `json:"tool_name"`
	Turn        int    `json:"turn"` // 1-based
}

// RateLimitWarning announces a wait before a request is tried again (W-15).
type RateLimitWarning struct {
	WorkbenchID    string `json:"workbench_id"`
	ProviderID     string `json:"provider_id"`
	ModelID        string `json:"model_id"`
	Phase          string `json:"phase"`
	RetryAttempt   int    `json:"retry_attempt"` // 1-based
	RetryMax       int    `json:"retry_max"`
	WaitMS         int64  `json:"wait_ms"`
	WarningMessage string `json:"warning_message"`
}

// ToolsReduced says that the run's model gets its tools in short descriptions,
// with describe_tool for the rest, since whole ones would leave little of its
// window.
type ToolsReduced struct {
	WorkbenchID string `json:"workbench_id"`
	ModelID     string `json:"model_id"`
	TokensWere  int    `json:"tokens_were"` // of the descriptions, estimated
	TokensAre   int    `json:"tokens_are"`
	Window      int    `json:"window"` // tokens; 0: not known
}

// ContextCut says that an endpoint counted a request as large as the window or
// larger and answered all the same, so that it left out a part of it.
type ContextCut struct {
	WorkbenchID string `json:"workbench_id"`
	ModelID     string `json:"model_id"`
	Tokens      int    `json:"tokens"` // as the endpoint counted
	Window      int    `json:"window"`
	Hint        string `json:"hint"`
}

// ContextCompacted says that earlier parts of the conversation reach the model
// shorter from now on, because a request came near its window or was longer.
// The stored conversation keeps them.
type ContextCompacted struct {
	WorkbenchID    string `json:"workbench_id"`
	Phase          string `json:"phase"`
	Reason         string `json:"reason"`                   // CompactedAhead or CompactedOverflow
	MessageID      string `json:"message_id"`               // the record of it in the conversation; its text is the summary, if there is one
	Summarised     int    `json:"summarised"`               // messages that a summary of the model stands for
	Shortened      int    `json:"shortened"`                // tool results and arguments cut to their heads
	Dropped        int    `json:"dropped"`                  // messages left out
	SummaryFailed  bool   `json:"summary_failed,omitempty"` // the model was asked for a summary and gave none of use
	CharactersWere int    `json:"characters_were"`
	CharactersAre  int    `json:"characters_are"`
	TokensWere     int    `json:"tokens_were"` // of the next request, estimated
	TokensAre      int    `json:"tokens_are"`
	Window         int    `json:"window"` // tokens of the model's window as the run takes it to be
}

// PhaseStarted says that a phase of a run in phases begins, or continues after a
// break (V-01).
type PhaseStarted struct {
	WorkbenchID string `json:"workbench_id"`
	Phase       string `json:"phase"` // research, plan, implement or summary
}

// PhaseCompleted says that a phase has ended well. Phases a run ended early in
// have none.
type PhaseCompleted PhaseStarted

// ImplementProgress says that an item of the plan is begun (V-01).
type ImplementProgress struct {
	WorkbenchID string `json:"workbench_id"`
	CurrentItem int    `json:"current_item"` // 1-based
	TotalItems  int    `json:"total_items"`  // can grow
	ItemLabel   string `json:"item_label"`
}

// InstructionsUnused says which skills and AGENTS.md a run does not use, and why.
type InstructionsUnused struct {
	WorkbenchID  string              `json:"workbench_id"`
	Instructions []UnusedInstruction `json:"instructions"`
}

// UnusedInstruction is one of them.
type UnusedInstruction struct {
	Name   string `json:"name"`   // of the skill, or AGENTS.md
	Source string `json:"source"` // folder or user
	Status string `json:"status"` // new, changed, declined, hidden or refused
	Why    string `json:"why"`
}

// QuestionPending says that the run waits for answers of the user (M-10, I-26).
type QuestionPending struct {
	WorkbenchID string           `json:"workbench_id"`
	QuestionID  string           `json:"question_id"`
	Questions   []tools.Question `json:"questions"`
	CreatedAt   string           `json:"created_at"`
	// Approval is the call that is asked about, when a rule says so.
	Approval *approvals.Request `json:"approval,omitempty"`
}

// NewQuestionPending makes the event of a question.
func NewQuestionPending(workbench string, a tools.Asking) Event {
	asked, _ := a.Approval.(*approvals.Request)
	return Event{Method: EventQuestionPending, Params: QuestionPending{workbench, a.ID, a.Questions, a.At.UTC().Format(time.RFC3339Nano), asked}}
}

// ModeChanged says that a session went from one mode to the other (M-22, I-26).
type ModeChanged struct {
	WorkbenchID string `json:"workbench_id"`
	Mode        string `json:"mode"`      // plan or build
	PlanFile    string `json:"plan_file"` // absolute in the workbench; "" for none
	// Details are what exit_plan_mode was given beside the plan (C-21).
	Details map[string]any `json:"details,omitempty"`
}

// PatchProposed is a patch of files that the person has open, for their editor to
// apply (P-11).
type PatchProposed struct {
	WorkbenchID string `json:"workbench_id"`
	SessionID   string `json:"session_id"`
	tools.Proposal
}

// NewModeChanged makes the event of a change.
func NewModeChanged(workbench string, c tools.ModeChange) Event {
	p := ModeChanged{WorkbenchID: workbench, Mode: c.Mode, Details: c.Details}
	if c.PlanFile != "" {
		p.PlanFile = "/" + string(c.PlanFile)
	}
	return Event{Method: EventModeChanged, Params: p}
}

// WorkbenchOf returns the workbench an event concerns, "" when it names none.
func WorkbenchOf(e Event) string {
	v := reflect.Indirect(reflect.ValueOf(e.Params))
	if v.Kind() != reflect.Struct {
		return ""
	}
	f := v.FieldByName("WorkbenchID")
	if !f.IsValid() || f.Kind() != reflect.String {
		return ""
	}
	return f.String()
}
