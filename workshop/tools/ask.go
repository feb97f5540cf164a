package tools

import (
	"context"
	"encoding/json"
	"time"

	"atelier/workshop"
)

// Question is one thing the user is asked.
type Question struct {
	Name     string          `json:"name"` // of its answer
	Question string          `json:"question"`
	Schema   json.RawMessage `json:"schema"` // JSON Schema that the answer must fit
	Buttons  []Button        `json:"buttons,omitempty"`
}

// Button is an answer that can be given with one click.
type Button struct {
	Label   string          `json:"label"`
	Value   json.RawMessage `json:"value"` // string, number or boolean
	Variant string          `json:"variant,omitempty"`
}

// Asking is questions that are put to the user together.
type Asking struct {
	ID        string // UUIDv7
	Questions []Question
	At        time.Time // when they were put; set by the Asker
	// Approval is the call that the user is asked about, for clients that show
	// it; nil for questions of tools.
	Approval any
}

// Answers are the answers by the names of the questions.
type Answers map[string]json.RawMessage

// ErrNobody says that nobody can be asked (M-14). It is a *workshop.Fault.
var ErrNobody error = workshop.Faultf(workshop.NotFound, "no user available to answer")

// Asker puts questions to the user.
type Asker interface {
	// Ask waits for answers that fit; its error is ctx's when nobody gave any
	// in time, ErrNobody when nobody can.
	Ask(ctx context.Context, a Asking) (Answers, error)
}

// ModeChange is a session that goes from one mode to the other.
type ModeChange struct {
	Mode     string        // ModePlan or ModeBuild
	PlanFile workshop.Path // the plan that is carried out, "" for none
	// Details are what the caller said of it, for the record (C-21).
	Details map[string]any
}

// Modes keeps the mode of a session and what its user agreed to.
type Modes interface {
	// SetMode changes the mode at once (B16-03).
	SetMode(ctx context.Context, c ModeChange) error
	// Asked and Answered are told of every question of the session.
	Asked(ctx context.Context, v workshop.View, a Asking) error
	Answered(ctx context.Context, a Asking, answers Answers) error
	// Approved is nil when the user has accepted this content of the plan, and
	// an Invalid fault otherwise (M-20).
	Approved(ctx context.Context, plan workshop.Entry) error
}
