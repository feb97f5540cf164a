// Package anthropic asks endpoints that speak Anthropic's Messages API: Anthropic's
// own, and those of others that offer it (OpenRouter, Ollama, DeepSeek, Moonshot …).
//
//	c := anthropic.New(endpoint.Options{})                                   // api.anthropic.com
//	c := anthropic.New(endpoint.Options{BaseURL: "http://localhost:11434"})  // Ollama, no key
//	resp, err := c.Chat(ctx, llm.Request{Key: key, Model: model, Messages: messages, Tools: tools, Stream: true, OnDelta: onDelta})
//
// A conversation becomes turns of user and assistant. System messages at its beginning
// are the system prompt, later ones texts of the user. Results of tools come with
// their images inside, in the user's turn right after their calls. Thinking goes back
// with the calls that came after it, signature included, to the model at the endpoint
// that wrote it.
//
// Up to four cache breakpoints mark the end of the tools, of the system prompt and of
// the last two turns of the user. The turns are marked only where more requests of the
// same conversation are likely, because writing to the cache costs more than reading
// without it.
//
// Every answer is asked for as a stream; one that comes as a whole message is read
// too. A stream that ends without a stop reason was cut: llm.KindUnavailable.
//
// Promises are those of llm/openai: safe for concurrent use, *llm.Error without a key,
// no request repeated but one that the endpoint refused, each time changed.
package anthropic
