package openai

import goopenai "github.com/sashabaranov/go-openai"

// usage returns what the endpoint counted, as OpenAI would: the prompt with what came
// out of a cache, the answer with its reasoning.
func (t *tokens) usage() *goopenai.Usage {
	u := &goopenai.Usage{PromptTokens: max(t.Prompt.N, t.Input.N, 0), CompletionTokens: max(t.Completion.N, t.Output.N, 0)}
	// Gateways pass on Anthropic's count of the prompt, which is that of what came out of no cache.
	cache := max(t.CacheRead.N, 0) + max(t.CacheMade.N, 0)
	if t.Total.N == u.PromptTokens+u.CompletionTokens+cache || t.CacheRead.N > u.PromptTokens {
		u.PromptTokens += cache
	}
	if u.PromptTokens > 0 { // Gemini and xAI leave reasoning out of the answer's count, though not out of the bill
		u.CompletionTokens = max(u.CompletionTokens, t.Total.N-u.PromptTokens)
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	if n := max(t.Details.Cached.N, t.CacheHit.N, t.CacheRead.N, t.Cached.N); n > 0 {
		u.PromptTokensDetails = &goopenai.PromptTokensDetails{CachedTokens: n}
	}
	return u
}
