package anthropic

import (
	"strconv"

	"atelier/internal/lazyregexp"
	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/models"
)

// What an endpoint may refuse and is then left out or changed.
const (
	paramTemperature  = "temperature"
	paramEffort       = "reasoning_effort"
	paramParallel     = "parallel_tool_calls"
	paramCache        = "cache_control"
	repairCalledTools = "called_tools" // tools that were called are described, though none may be called
)

// known are all of them, in the order in which they are listed.
var known = []string{paramTemperature, thinkAdaptive, thinkBudget, paramEffort, paramParallel, paramCache, repairCalledTools,
	models.RepairSchemas, models.RepairOneImage, models.RepairNoImages}

// The words of refusals, lower case; of Anthropic's API where nothing else is said.
var (
	tooManyOut    = lazyregexp.New(`max_tokens: (\d+) > (\d+)`)
	noRoom        = lazyregexp.New(`exceed context limit: (\d+) \+ (\d+) > (\d+)`)
	badSignature  = lazyregexp.New("invalid .?signature.? in .?thinking|thinking.{0,80}cannot be modified")
	noThinkBefore = lazyregexp.New("expected .?thinking.{0,80}found")
	temperature   = lazyregexp.New(`temperature`)
	parallel      = lazyregexp.New(`disable_parallel_tool_use`)
	cache         = lazyregexp.New(`cache_control`)
	thinkWords    = lazyregexp.New(`thinking|effort|output_config|budget_tokens|reasoning`)
	calledWords   = lazyregexp.New("tools.{0,40}(must be|required|missing|provided)|must define tools|without.{0,40}tools=? ?param|toolconfig field must be defined") // Bedrock, gateways
	// imageWords are those that name no image_url; the API's paths end in image.source.
	imageWords = lazyregexp.New(`image.{0,20}source.{0,80}(not supported|unsupported|invalid|could not|unable)|input tag 'image'`)
)

// leastRoom is the least answer that is worth asking for beside a long request.
const leastRoom = 1_024

// change is a repair: it says whether the refusal asks for it and it would change
// something.
type change struct {
	name  string
	words *lazyregexp.Regexp
	sent  bool
}

// Repair implements endpoint.Dialogue.
func (d *dialogue) Repair(refused string, err *llm.Error) bool {
	if err.Kind == llm.KindUnauthorized || err.Kind == llm.KindRateLimited || err.Kind == llm.KindNetwork {
		return false
	}
	if d.repairLimit(refused) || d.repairThinking(refused) {
		return true
	}
	if err.Kind == llm.KindContextLength {
		return false
	}
	for _, c := range []change{
		{models.RepairOneImage, endpoint.OneImage, d.sent.images > 1},
		{models.RepairNoImages, endpoint.NoImages, d.sent.images > 0},
		{models.RepairNoImages, imageWords, d.sent.images > 0},
		{paramTemperature, temperature, d.sent.temperature},
		{paramCache, cache, d.sent.cache},
		{paramParallel, parallel, d.sent.parallel},
		{repairCalledTools, calledWords, d.sent.tools == 0 && d.sent.calls > 0},
		{models.RepairSchemas, endpoint.RefusedSchemas, d.sent.tools > 0},
	} {
		if c.sent && !d.made[c.name] && c.words.MatchString(refused) {
			d.learn(c.name)
			return true
		}
	}
	if d.sent.thinking && thinkWords.MatchString(refused) {
		name := d.thinkingForm()
		if d.set.Effort == "none" {
			name = paramEffort
		}
		d.learn(name)
		return true
	}
	return false
}

func (d *dialogue) learn(name string) {
	d.made[name] = true
	d.learned = append(d.learned, name)
}

// repairLimit lowers the longest answer to what a refusal says that there is room for.
func (d *dialogue) repairLimit(refused string) bool {
	if m := tooManyOut.FindStringSubmatch(refused); m != nil {
		most := atoi(m[2])
		if most <= 0 || most >= d.sent.maxTokens {
			return false
		}
		d.c.most.Store(d.Model, most)
		d.own = min(d.own, most)
		if d.limit >= d.own {
			d.limit = 0
		}
		return true
	}
	m := noRoom.FindStringSubmatch(refused)
	if m == nil {
		return false
	}
	room := atoi(m[3]) - atoi(m[1]) - 64
	if room < leastRoom || room >= d.sent.maxTokens {
		return false
	}
	d.room = room
	if d.limit >= room {
		d.limit = 0
	}
	return true
}

// repairThinking leaves out of this request what does not fit the thinking of the
// conversation, which another model or endpoint may have written.
func (d *dialogue) repairThinking(refused string) bool {
	switch {
	case d.sent.kept && badSignature.MatchString(refused):
		d.noKept = true
		return true
	case d.sent.thinking && noThinkBefore.MatchString(refused):
		d.noThinking = true
		return true
	}
	return false
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
