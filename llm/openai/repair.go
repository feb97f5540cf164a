package openai

import (
	"net/http"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/llm/endpoint"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
	"atelier/llm/models"
)

// repair is a change to requests that an endpoint refuses. It is tried when the
// refusal has its words, once, and kept for the model while the program runs.
type repair struct {
	name  string
	words *lazyregexp.Regexp // of the refusal, lower case, without backslashes
}

var missingSignature = lazyregexp.New("missing a [`']?thought_?signature")

// repairs are those with words of their own, in the order in which they are
// looked for. The words are those of the endpoints named, as their users report
// them. Beside them, optional parameters that a refusal names are left out.
var repairs = []repair{
	{models.RepairOneImage, endpoint.OneImage},
	{models.RepairNoImages, endpoint.NoImages},
	// Mistral, vLLM, Anthropic, OpenAI: the form of ids
	{paramCallIDs, endpoint.RefusedID},
	// whoever takes one call at a time and says so in words
	{paramParallel, lazyregexp.New(`parallel (tool|function)[- ]?call(s|ing)? .{0,30}not`)},
	// Ollama; OpenRouter; vLLM without a parser; llama.cpp without --jinja; Groq;
	// Gemini's Gemma; Mistral's old templates, which know no role tool
	{models.RepairTextTools, lazyregexp.New(`does not support (tools|tool use|tool call|function call)|no endpoints found that support tool use|tool choice requires --enable-auto-tool-choice|` +
		`tools param requires --jinja|(^|["':.]|[^l] )tool (use|calling|calls?) (is|are) not supported|function calling is not (enabled|supported)|only user and assistant roles are supported|` +
		`(^|[^a-z_])tools['"` + "`" + `]? (is|are) (not supported|unsupported|not available)|property 'tools' is unsupported|(unsupported|unknown|unrecognized) (parameter|field|request argument supplied|argument)s?:? ['"` + "`" + `]?tools(['"` + "`" + `]|[^a-z_.\[]|$)`)},
	// Llama's templates
	{models.RepairOneCall, lazyregexp.New(`only supports? single tool[- ]calls?`)},
	// Gemma's and old templates; Gemma at Gemini's endpoint
	{models.RepairNoSystem, lazyregexp.New(`system role (is )?not supported|only user and assistant roles are supported|developer instruction is not enabled|(role|roles?:?) ['"` + "`" + `]?system['"` + "`" + `]? (is |are )?not (supported|allowed)`)},
	// Qwen's templates
	{models.RepairOneSystem, lazyregexp.New(`system message must be (at the beginning|the first)|only one system message|system messages? (must|should|can) (only )?(be at|come|appear)`)},
	// Mistral (3230); templates of Mistral, Gemma, Llama, Phi; Anthropic
	{models.RepairRoles, lazyregexp.New(`unexpected role '?[a-z.]+'? after role|roles must alternate|expected last role user or tool|first message must (be|use the|have).{0,20}user|must (start|begin|end) with a user (message|role)|` +
		`assistant message prefill|last message (cannot|must not) be.{0,20}assistant|multiple (consecutive )?(user|assistant) messages`)},
	{models.RepairSchemas, endpoint.RefusedSchemas},
	// Gemini: a result needs the name of its function
	{models.RepairToolName, lazyregexp.New(`function_?response\.name.{0,80}(empty|required|missing)`)},
	// Gemini 3 and later behind OpenRouter; itself, Vertex
	{models.RepairDetails, lazyregexp.New(`reasoning[ _]details to be preserved`)},
	{models.RepairSigned, missingSignature},
	// Portkey before these
	{models.RepairSignature, missingSignature},
	// DeepSeek; Moonshot
	{models.RepairEcho, lazyregexp.New(`reasoning_content.{0,60}(must be passed back|is missing|required)|missing .{0,5}reasoning_content`)},
	// Groq, Cerebras, Mistral
	{models.RepairNoEcho, lazyregexp.New(`reasoning_content.{0,80}(unsupported|not supported|not permitted|unexpected|unknown|extra_forbidden|unrecognized)|(unsupported|unknown|unrecognized|unexpected|extra).{0,80}reasoning_content`)},
	// Anthropic and Bedrock behind gateways; Moonshot; Z.ai
	{models.RepairEmpty, lazyregexp.New(`content blocks? must be non-empty|non-empty content|(text )?content (field )?(is|are|in .{0,60}is) empty|content (must|cannot|can't|should|may) (not )?be (empty|blank|non-empty)|message.{0,60}must not be empty|content.{0,20}should be non-?empty|messages? with empty content`)},
	// vLLM, gateways
	{models.RepairNull, lazyregexp.New(`content.{0,80}(valid string|expected a string, got null|got null|none is not|field required|is required|missing)|missing .{0,20}content|expected a string.{0,20}null|null .{0,40}content`)},
	// Bedrock; older llama.cpp
	{models.RepairWhole, lazyregexp.New(`cannot use tools with stream|(tool use|tools?).{0,30}(in|with) streaming|\bstream(ing)?['"` + "`" + `]? .{0,40}not (supported|allowed|available)|not support(ed)? stream(ing)?\b`)},
	// Ollama: a model that does not think, or not that much
	{paramEffort, lazyregexp.New(`does not support thinking|think(ing)? value .{0,20}(is )?not supported|reasoning is not supported|does not support reasoning`)},
}

// found returns the repair that the refusal of t asks for, of those that are not made
// yet and would change something; "" is none.
func found(t *transport, req goopenai.ChatCompletionRequest, made map[string]bool) string {
	if t.refused == "" {
		return ""
	}
	for _, r := range repairs {
		if !made[r.name] && r.words.MatchString(t.refused) && changes(r.name, t, req, made) {
			return r.name
		}
	}
	if t.status != http.StatusBadRequest && t.status != http.StatusUnprocessableEntity {
		return ""
	}
	//lint:ignore SA1019 most endpoints know only max_tokens
	limited := req.MaxTokens != 0
	sent := map[string]bool{
		paramStreamOptions: req.StreamOptions != nil, paramParallel: req.ParallelToolCalls != nil,
		paramToolChoice: req.ToolChoice != nil, paramTemperature: t.temperature != nil,
		paramEffort: req.ReasoningEffort != "", paramMaxTokens: limited, paramMaxCompletion: req.MaxCompletionTokens != 0,
	}
	for _, p := range optional {
		if sent[p] && !made[p] && strings.Contains(t.refused, p) {
			return p
		}
	}
	return ""
}

// changes reports whether a repair would change the request at all.
func changes(name string, t *transport, req goopenai.ChatCompletionRequest, made map[string]bool) bool {
	has := func(is func(goopenai.ChatCompletionMessage) bool) bool {
		for _, m := range req.Messages {
			if is(m) {
				return true
			}
		}
		return false
	}
	images := 0
	for _, m := range req.Messages {
		for _, p := range m.MultiContent {
			if p.ImageURL != nil {
				images++
			}
		}
	}
	switch name {
	case models.RepairOneImage:
		return images > 1
	case models.RepairNoImages:
		return images > 0
	case models.RepairTextTools:
		return len(req.Tools) > 0 || has(func(m goopenai.ChatCompletionMessage) bool { return m.Role == llm.RoleTool })
	case models.RepairSchemas:
		return len(req.Tools) > 0
	case models.RepairOneCall:
		return has(func(m goopenai.ChatCompletionMessage) bool { return len(m.ToolCalls) > 1 })
	case models.RepairNoSystem, models.RepairOneSystem:
		return has(func(m goopenai.ChatCompletionMessage) bool { return m.Role == llm.RoleSystem })
	case models.RepairWhole:
		return req.Stream
	case models.RepairToolName, models.RepairSigned, models.RepairSignature, models.RepairDetails, models.RepairNull:
		return has(func(m goopenai.ChatCompletionMessage) bool { return len(m.ToolCalls) > 0 })
	case models.RepairEcho:
		return !made[models.RepairNoEcho] && has(func(m goopenai.ChatCompletionMessage) bool { return len(m.ToolCalls) > 0 })
	case models.RepairNoEcho:
		return made[models.RepairEcho]
	case paramParallel:
		return req.ParallelToolCalls != nil
	case paramEffort:
		return req.ReasoningEffort != ""
	}
	return true
}

// keepRefusal keeps what an endpoint said, to look for words in.
func (t *transport) keepRefusal(status int, body []byte) {
	r := endpoint.ReadRefusal(body)
	if status == 0 {
		status = r.Status
	}
	switch status {
	case 0, http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
	default:
		return
	}
	words := strings.NewReplacer(`\u0027`, "'", `\u0022`, `"`, `\n`, " ", `\`, "").Replace(string(body))
	t.status, t.refused = status, strings.ToLower(words)+" "+strings.ToLower(r.Message)
}
