package openai

import (
	"context"
	"errors"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/llm"
	"atelier/llm/models"
)

// limitParam returns the parameter that takes the longest answer: the one that is set
// for the model, or the other where the endpoint refused that; "" when it refused
// both.
func limitParam(set models.Settings, made map[string]bool) string {
	list := []string{paramMaxTokens, paramMaxCompletion}
	if set.LimitParam == paramMaxCompletion {
		list[0], list[1] = list[1], list[0]
	}
	for _, p := range list {
		if !made[p] {
			return p
		}
	}
	return ""
}

// limited returns the limit that llm.WithLimit sets to an answer; 0 where the model
// gives, or is asked for, no longer ones anyway.
func (c *Client) limited(ctx context.Context, model string, set models.Settings) int {
	n := llm.Limit(ctx)
	high, known := c.most.Load(model)
	if set.SendLimit > 0 && n >= set.SendLimit || set.MaxOutput > 0 && n >= set.MaxOutput || known && n >= high.(int) {
		return 0
	}
	return n
}

// The words of endpoints about the parameter, each in its own spelling; about a
// limit that is higher than the longest answer of the model (DeepSeek, OpenAI,
// Groq, Mistral, Gemini), about one that is too low for the reasoning (Anthropic),
// where that is more than the bottom of a range; about a parameter that they do
// not know; and those with which a refusal for length counts the answer too, or
// is about nothing else (OpenAI, vLLM, Anthropic, Bedrock, Cohere), or counts it
// in the tokens of a minute, of which there are never as many (Groq, OpenAI).
var (
	limitWords  = lazyregexp.New(`max[_ ]?(output|completion)?[_ ]?tokens`)
	highWords   = lazyregexp.New(`range|between|at most|less than|exceed|too (large|high|big|many)|maximum|<=|cannot be (larger|greater|more)|supports`)
	lowWords    = lazyregexp.New(`greater than|at least|minimum|too (small|low)`)
	bottomWords = lazyregexp.New(`(greater than( or equal to)?|at least) [01]\b`)
	answerWords = lazyregexp.New(`completion|max[_ ]tokens|maximum tokens you requested|output[_ ]?tokens`)
	rateWords   = lazyregexp.New(`request too large.*(tokens per min|\(tpm\))`)
	otherWords  = lazyregexp.New(`not supported|unsupported|unknown|unrecogni|not permitted|extra_|unexpected|instead`)
)

// tooHigh reports whether an endpoint refused a request since the limit of its
// answer is more than the model, or its window beside this request, has room
// for. It is not needed then: no answer can be as long.
func (c *Client) tooHigh(err error, t *transport, limit int, model, param string) bool {
	var e *llm.Error
	if param != "" && errors.As(err, &e) && (e.Kind == llm.KindContextLength && answerWords.MatchString(strings.ToLower(e.Message)) || rateWords.MatchString(strings.ToLower(e.Message))) {
		return true // the request itself may be too long as well: then so it is without a limit
	}
	if param == "" || t.refused == "" {
		return false
	}
	words := bottomWords.ReplaceAllString(t.refused, "")
	if !limitWords.MatchString(words) || otherWords.MatchString(words) || !highWords.MatchString(words) || lowWords.MatchString(words) {
		return false
	}
	if high, known := c.most.Load(model); !known || limit < high.(int) {
		c.most.Store(model, limit)
	}
	return true
}
