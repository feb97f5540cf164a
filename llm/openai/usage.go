package openai

import goopenai "github.com/sashabaranov/go-openai"

// usage returns what the endpoint counted, as OpenAI would: the prompt with what came
// out of a cache, the answer with its reasoning.
func (t *tokens) usage() *goopenai.Usage {
	u := &goopenai.Usage{PromptTokens: max(t.Prompt.n, t.Input.n, 0), CompletionTokens: max(t.Completion.n, t.Output.n, 0)}
	// Gateways pass on Anthropic's count of the prompt, which is that of what came out of no cache.
	cache := max(t.CacheRead.n, 0) + max(t.CacheMade.n, 0)
	if t.Total.n == u.PromptTokens+u.CompletionTokens+cache || t.CacheRead.n > u.PromptTokens {
		u.PromptTokens += cache
	}
	if u.PromptTokens > 0 { // Gemini and xAI leave reasoning out of the answer's count, though not out of the bill
		u.CompletionTokens = max(u.CompletionTokens, t.Total.n-u.PromptTokens)
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	if n := max(t.Details.Cached.n, t.CacheHit.n, t.CacheRead.n, t.Cached.n); n > 0 {
		u.PromptTokensDetails = &goopenai.PromptTokensDetails{CachedTokens: n}
	}
	return u
}
