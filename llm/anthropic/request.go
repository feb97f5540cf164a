package anthropic

import (
	"encoding/json"

	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/models"
)

// The forms of the API's reference, as far as they are used.
type (
	request struct {
		Model        string          `json:"model"`
		MaxTokens    int             `json:"max_tokens"`
		System       []*block        `json:"system,omitempty"`
		Messages     []turn          `json:"messages"`
		Tools        []tool          `json:"tools,omitempty"`
		ToolChoice   *toolChoice     `json:"tool_choice,omitempty"`
		Stream       bool            `json:"stream"`
		Temperature  *float64        `json:"temperature,omitempty"`
		Thinking     *thinking       `json:"thinking,omitempty"`
		OutputConfig *outputSettings `json:"output_config,omitempty"`
	}
	turn struct {
		Role    string   `json:"role"`
		Content []*block `json:"content"`
	}
	block struct {
		Type      string          `json:"type"`
		Text      string          `json:"text,omitempty"`
		Source    *source         `json:"source,omitempty"`      // image
		ID        string          `json:"id,omitempty"`          // tool_use
		Name      string          `json:"name,omitempty"`        // tool_use
		Input     json.RawMessage `json:"input,omitempty"`       // tool_use
		ToolUseID string          `json:"tool_use_id,omitempty"` // tool_result
		Content   []*block        `json:"content,omitempty"`     // tool_result
		Cache     *cacheControl   `json:"cache_control,omitempty"`

		raw json.RawMessage // a block as it came: thinking
	}
	source struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	}
	tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
		Cache       *cacheControl   `json:"cache_control,omitempty"`
	}
	cacheControl struct {
		Type string `json:"type"`
	}
	toolChoice struct {
		Type       string `json:"type"`
		NoParallel bool   `json:"disable_parallel_tool_use,omitempty"`
	}
	thinking struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens,omitempty"`
	}
	outputSettings struct {
		Effort string `json:"effort"`
	}
)

// MarshalJSON writes a block that came from the model as it came.
func (b *block) MarshalJSON() ([]byte, error) {
	if b.raw != nil {
		return b.raw, nil
	}
	type plain block
	return json.Marshal((*plain)(b))
}

const emptySchema = `{"type":"object","properties":{}}`

// Body implements endpoint.Dialogue.
func (d *dialogue) Body() ([]byte, error) {
	d.sent = features{maxTokens: d.maxTokens()}
	d.answer = reader{d: d}
	r := request{Model: d.Model, MaxTokens: d.sent.maxTokens, Stream: true}
	d.addThinking(&r)
	messages := endpoint.FitImages(d.Messages, d.set.MaxImages, d.made)
	d.sent.images = llm.CountImages(messages)
	r.System, r.Messages = d.turns(messages)
	d.addTools(&r)
	d.addTemperature(&r)
	d.addCache(&r)
	return json.Marshal(r)
}

func (d *dialogue) addTools(r *request) {
	for _, t := range d.Tools {
		schema := t.Function.Parameters
		switch {
		case len(schema) == 0:
			schema = json.RawMessage(emptySchema)
		case d.made[models.RepairSchemas]:
			schema = endpoint.PlainSchema(schema)
		}
		r.Tools = append(r.Tools, tool{Name: t.Function.Name, Description: t.Function.Description, InputSchema: schema})
	}
	d.sent.tools = len(r.Tools)
	if len(r.Tools) == 0 && d.made[repairCalledTools] {
		r.Tools = calledTools(d.Messages)
		r.ToolChoice = &toolChoice{Type: "none"}
		return
	}
	if set := d.set.Parallel; set != nil && len(r.Tools) > 0 && !d.made[paramParallel] {
		r.ToolChoice = &toolChoice{Type: "auto", NoParallel: !*set}
		d.sent.parallel = true
	}
}

// calledTools returns the tools that a conversation has calls of, for endpoints that
// take no such conversation without tools.
func calledTools(messages []llm.Message) []tool {
	var list []tool
	seen := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			if name := c.Function.Name; !seen[name] {
				seen[name] = true
				list = append(list, tool{Name: name, InputSchema: json.RawMessage(emptySchema)})
			}
		}
	}
	return list
}

// addTemperature sets the temperature, which thinking does not go with.
func (d *dialogue) addTemperature(r *request) {
	if d.made[paramTemperature] || d.set.Heat.Omit || r.Thinking != nil && r.Thinking.Type != "disabled" {
		return
	}
	t := min(d.set.Heat.Value, 1) // the most that the API takes
	r.Temperature, d.sent.temperature = &t, true
}

// The forms in which thinking is asked for, as names of what endpoints refuse.
const (
	thinkAdaptive = "thinking.adaptive" // by an effort: Claude 4.6 and later
	thinkBudget   = "thinking.enabled"  // by a number of tokens: the models before
)

// budgets are the tokens of thinking for an effort, where the model takes a number.
var budgets = map[string]int{"minimal": minBudget, "low": 4_096, "medium": 10_240, "high": 24_576, "xhigh": 32_768, "max": 49_152}

// minBudget is the least number of tokens that the API takes for thinking.
const minBudget = 1_024

// thinkingForm returns the form in which the model takes a request to think; "" is
// none.
func (d *dialogue) thinkingForm() string {
	forms := []string{thinkBudget, thinkAdaptive}
	for _, e := range d.set.Efforts.List() {
		if e == "max" {
			forms = []string{thinkAdaptive, thinkBudget}
		}
	}
	for _, f := range forms {
		if !d.made[f] {
			return f
		}
	}
	return ""
}

// addThinking asks for thinking where an effort is set.
func (d *dialogue) addThinking(r *request) {
	form := d.thinkingForm()
	if d.set.Effort == "" || d.noThinking || d.made[paramEffort] || form == "" {
		return
	}
	switch {
	case d.set.Effort == "none":
		r.Thinking = &thinking{Type: "disabled"}
	case form == thinkAdaptive:
		effort := d.set.Effort
		if effort == "minimal" {
			effort = "low"
		}
		r.Thinking, r.OutputConfig = &thinking{Type: "adaptive"}, &outputSettings{effort}
	default:
		// Half of the answer at least is left for what is said.
		budget := min(budgets[d.set.Effort], r.MaxTokens/2)
		if budget < minBudget {
			return
		}
		r.Thinking = &thinking{Type: "enabled", Budget: budget}
	}
	d.sent.thinking = true
}

// addCache marks where the beginning of the request ends that later ones share: at
// most four places. The next request of a conversation finds the mark of this one's
// last turn as its second to last, also when many results came between.
func (d *dialogue) addCache(r *request) {
	if d.made[paramCache] {
		return
	}
	mark := &cacheControl{Type: "ephemeral"}
	if n := len(r.Tools); n > 0 {
		r.Tools[n-1].Cache, d.sent.cache = mark, true
	}
	if n := len(r.System); n > 0 {
		r.System[n-1].Cache, d.sent.cache = mark, true
	}
	if len(d.Tools) == 0 && len(r.Messages) < 2 {
		return // a single question: what it writes into the cache would be read by nobody
	}
	left := 2
	for i := len(r.Messages) - 1; i >= 0 && left > 0; i-- {
		if t := r.Messages[i]; t.Role == llm.RoleUser && len(t.Content) > 0 {
			t.Content[len(t.Content)-1].Cache, d.sent.cache = mark, true
			left--
		}
	}
}
