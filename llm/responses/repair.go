package responses

import (
	"strconv"

	"atelier/internal/lazyregexp"
	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/models"
)

// What an endpoint may refuse and is then left out.
const (
	paramTemperature = "temperature"
	paramEffort      = "reasoning_effort"
	paramParallel    = "parallel_tool_calls"
	paramLimit       = "max_output_tokens"
	paramInclude     = "include"
)

// known are all of them and the repairs, in the order in which they are listed.
var known = []string{paramTemperature, paramEffort, paramParallel, paramLimit, paramInclude, models.RepairSchemas, models.RepairImagesApart, models.RepairOneImage, models.RepairNoImages}

// The words of refusals, lower case.
var (
	tooManyOut   = lazyregexp.New(`max_output_tokens.{0,120}(at most|less than or equal to|<=|maximum (value )?(is|of|allowed)?|supports at most)[^0-9]{0,40}(\d+)`)
	badReasoning = lazyregexp.New(`encrypted[_ ]content.{0,80}(could not be|invalid|verif|decrypt|malformed)|invalid_encrypted_content|item .{0,20}rs_.{0,80}(not found|without its required|required following)|'?reasoning'? item.{0,80}(without|required)`)
	include      = lazyregexp.New(`encrypted content is not supported|\binclude\b|encrypted_content`)
	temperature  = lazyregexp.New(`temperature`)
	parallel     = lazyregexp.New(`parallel_tool_calls`)
	limitWords   = lazyregexp.New(`max_output_tokens`)
	effort       = lazyregexp.New(`reasoning`)
	// outputParts are those of endpoints whose outputs of calls are texts: they complain
	// of a list in the output, or of an image there.
	outputParts = lazyregexp.New(`(function_call_output|\boutput\b).{0,120}(string|str\b|list|array|input_image|image)|input\[\d+\]\.output`)
	imageWords  = lazyregexp.New(`input_image.{0,80}(not supported|unsupported|unknown|invalid|not allowed)|(unsupported|unknown|invalid).{0,60}input_image`)
)

// change is a repair: the words that ask for it, and whether it would change
// something.
type change struct {
	name  string
	words *lazyregexp.Regexp
	sent  bool
}

// Repair implements endpoint.Dialogue.
func (d *dialogue) Repair(refused string, err *llm.Error) bool {
	switch err.Kind {
	case llm.KindUnauthorized, llm.KindRateLimited, llm.KindNetwork, llm.KindContextLength:
		return false
	}
	switch {
	case d.repairLimit(refused):
		return true
	case d.sent.kept && badReasoning.MatchString(refused):
		d.noKept = true
		return true
	}
	for _, c := range []change{
		{models.RepairImagesApart, outputParts, d.sent.imagesInOutputs},
		{models.RepairOneImage, endpoint.OneImage, d.sent.images > 1},
		{models.RepairNoImages, endpoint.NoImages, d.sent.images > 0},
		{models.RepairNoImages, imageWords, d.sent.images > 0},
		{paramTemperature, temperature, d.sent.temperature},
		{paramInclude, include, true},
		{paramParallel, parallel, d.set.Parallel != nil && d.sent.tools > 0},
		{paramLimit, limitWords, d.sent.maxTokens > 0},
		{models.RepairSchemas, endpoint.RefusedSchemas, d.sent.tools > 0},
		{paramEffort, effort, d.set.Effort != ""},
	} {
		if c.sent && !d.made[c.name] && c.words.MatchString(refused) {
			d.made[c.name] = true
			d.learned = append(d.learned, c.name)
			return true
		}
	}
	return false
}

// repairLimit lowers the longest answer to what a refusal names.
func (d *dialogue) repairLimit(refused string) bool {
	m := tooManyOut.FindStringSubmatch(refused)
	if m == nil {
		return false
	}
	most, err := strconv.Atoi(m[len(m)-1])
	if err != nil || most <= 0 || most >= d.sent.maxTokens {
		return false
	}
	d.c.most.Store(d.Model, most)
	d.limit = 0 // no answer can be as long
	if d.own > 0 {
		d.own = min(d.own, most)
	}
	return true
}
