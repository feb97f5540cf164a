// Package models says what is known of models and endpoints before they are
// asked: how much they take in, which parameters they want or refuse, how they
// write tool calls.
//
//	t := models.Builtin().With(rules...)          // a user's rules come last
//	s := t.Lookup("gpt-5-mini", "api.openai.com") // every rule that fits, later over earlier
//
// A rule names models and hosts by patterns; each field it sets overrides what
// earlier rules said, so that a user's rule needs to hold only what differs.
package models

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Settings of a model at an endpoint. A nil or zero field is not known, and
// nothing is sent for it.
type Settings struct {
	Window     int         `json:"window,omitempty"`              // tokens of a request and its answer together
	MaxOutput  int         `json:"max_output,omitempty"`          // tokens of an answer the model can give
	Effort     string      `json:"reasoning_effort,omitempty"`    // sent as it is; "": not sent
	Efforts    Efforts     `json:"reasoning_efforts,omitempty"`   // what the model takes as reasoning_effort
	Parallel   *bool       `json:"parallel_tool_calls,omitempty"` // sent as it is; unset: not sent
	Heat       Temperature `json:"temperature,omitzero"`
	InText     *bool       `json:"text_tool_calls,omitempty"` // calls of declared tools written into the text count
	Tools      string      `json:"tools,omitempty"`           // how tools are described: "full", "small"; "" by the folder's kinds of documents and the window
	Repairs    Repairs     `json:"repairs,omitempty"`         // how requests are changed for it
	CallIDs    string      `json:"call_ids,omitempty"`        // form of tool-call ids: CallIDsAny, CallIDsNine
	LimitParam string      `json:"limit_param,omitempty"`     // parameter that takes SendLimit; "max_tokens" unless set
	SendLimit  int         `json:"send_limit,omitempty"`      // longest answer asked for, in tokens; 0: the endpoint's own
	Images     *bool       `json:"images,omitempty"`          // the model takes images; unset: not known, so none are sent
	MaxImages  int         `json:"max_images,omitempty"`      // of a request; 0: no limit is known
	Price      *Price      `json:"price,omitempty"`
}

// TakesImages reports whether images are sent to the model.
func (s Settings) TakesImages() bool { return s.Images != nil && *s.Images }

// How tools are described to a model.
const (
	ToolsFull  = "full"
	ToolsSmall = "small" // in short, with a tool that gives the rest
)

// The forms of tool-call ids.
const (
	CallIDsAny  = "any"  // letters, digits, - and _, at most 40: what OpenAI and Anthropic take
	CallIDsNine = "nine" // nine letters or digits: Mistral
	limitOld    = "max_tokens"
	limitNew    = "max_completion_tokens"
)

// Rule gives settings to the models and hosts its patterns fit. Patterns are
// those of path.Match without regard to case and with * crossing slashes; an
// empty one fits all. A model matches with or without the maker's name before
// the last slash ("openai/gpt-5", "gpt-5").
type Rule struct {
	Model    string `json:"model,omitempty"`
	Endpoint string `json:"endpoint,omitempty"` // host, without port
	Settings
}

// Check reports what is wrong with a rule a user wrote; nil when nothing is.
func (r Rule) Check() error {
	bad := func(field, want string) error {
		return fmt.Errorf("%s of the rule for model %q, endpoint %q: want %s", field, r.Model, r.Endpoint, want)
	}
	_, merr := path.Match(flat(r.Model), "")
	_, eerr := path.Match(flat(r.Endpoint), "")
	switch {
	case r.Model == "" && r.Endpoint == "":
		return bad("model", `a pattern such as "qwen3*", or an endpoint`)
	case merr != nil:
		return bad("model", "a pattern such as \"qwen3*\"")
	case eerr != nil:
		return bad("endpoint", "a host such as \"*.example.com\"")
	case r.Window < 0 || r.MaxOutput < 0 || r.SendLimit < 0:
		return bad("window, max_output and send_limit", "numbers of tokens")
	case r.MaxImages < 0:
		return bad("max_images", "how many images a request may have")
	case r.Effort != "" && !IsEffort(r.Effort):
		return bad("reasoning_effort", "one of "+strings.Join(efforts, ", "))
	case r.CallIDs != "" && r.CallIDs != CallIDsAny && r.CallIDs != CallIDsNine:
		return bad("call_ids", CallIDsAny+" or "+CallIDsNine)
	case r.Tools != "" && r.Tools != ToolsFull && r.Tools != ToolsSmall:
		return bad("tools", ToolsFull+" or "+ToolsSmall)
	case r.LimitParam != "" && r.LimitParam != limitOld && r.LimitParam != limitNew:
		return bad("limit_param", limitOld+" or "+limitNew)
	}
	if err := r.Price.Check(); err != nil {
		return fmt.Errorf("the rule for model %q, endpoint %q: %w", r.Model, r.Endpoint, err)
	}
	return nil
}

// Table is an ordered list of rules. It is not changed once made.
type Table struct{ rules []Rule }

// With returns a table that has more rules after those of t.
func (t Table) With(more ...Rule) Table {
	return Table{append(slices.Clip(slices.Clone(t.rules)), more...)}
}

// Lookup merges every rule that fits model at host, later over earlier.
func (t Table) Lookup(model, host string) Settings {
	var s Settings
	for _, r := range t.rules {
		if fits(r.Endpoint, host) && (fits(r.Model, model) || fits(r.Model, model[strings.LastIndexByte(model, '/')+1:])) {
			s = s.over(r.Settings)
		}
	}
	return s
}

// flat makes * cross slashes: path.Match stops it at them.
func flat(s string) string { return strings.ReplaceAll(strings.ToLower(s), "/", "\x01") }

func fits(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(flat(pattern), flat(name))
	return ok && err == nil
}

// over returns s with what o sets.
func (s Settings) over(o Settings) Settings {
	set(&s.Window, o.Window)
	set(&s.MaxOutput, o.MaxOutput)
	set(&s.Effort, o.Effort)
	set(&s.Efforts, o.Efforts)
	set(&s.Tools, o.Tools)
	set(&s.Repairs, o.Repairs)
	set(&s.Parallel, o.Parallel)
	set(&s.Heat, o.Heat)
	set(&s.InText, o.InText)
	set(&s.CallIDs, o.CallIDs)
	set(&s.LimitParam, o.LimitParam)
	set(&s.SendLimit, o.SendLimit)
	set(&s.Images, o.Images)
	set(&s.MaxImages, o.MaxImages)
	set(&s.Price, o.Price)
	return s
}

func set[T comparable](to *T, v T) {
	var zero T
	if v != zero {
		*to = v
	}
}

// Temperature is what is sent as temperature (L-10): a number, nothing
// ("omit"), or, when unset, 0.
type Temperature struct {
	Omit  bool
	Set   bool
	Value float64 // 0 to 2
}

// Omitted is the temperature of models that refuse one.
var Omitted = Temperature{Omit: true}

// MarshalJSON writes a number or "omit".
func (t Temperature) MarshalJSON() ([]byte, error) {
	switch {
	case t.Omit:
		return []byte(`"omit"`), nil
	case t.Set:
		return json.Marshal(t.Value)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads a number from 0 to 2, "omit", or null.
func (t *Temperature) UnmarshalJSON(b []byte) error {
	*t = Temperature{}
	switch string(b) {
	case "null":
		return nil
	case `"omit"`:
		t.Omit = true
		return nil
	}
	if json.Unmarshal(b, &t.Value) != nil || t.Value < 0 || t.Value > 2 {
		return fmt.Errorf(`temperature: want a number from 0 to 2 or "omit", not %s`, b)
	}
	t.Set = true
	return nil
}

// Rules returns the rules of t, in order.
func (t Table) Rules() []Rule { return slices.Clone(t.rules) }
