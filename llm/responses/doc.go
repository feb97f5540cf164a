// Package responses asks endpoints that speak OpenAI's Responses API: OpenAI's own,
// Azure's, and those of others that offer it (OpenRouter, vLLM, Ollama, LM Studio …).
//
//	c := responses.New(endpoint.Options{})                                        // api.openai.com
//	c := responses.New(endpoint.Options{BaseURL: "http://localhost:8000/v1"})     // vLLM, no key
//	resp, err := c.Chat(ctx, llm.Request{Key: key, Model: model, Messages: messages, Tools: tools, Stream: true, OnDelta: onDelta})
//
// Nothing is stored at the endpoint (store is false): each request has the whole
// conversation. Reasoning items come encrypted and go back with the calls that came
// after them, to the model at the endpoint that wrote them. Images of tool results are
// part of their outputs; an endpoint that takes only text there gets them in a message
// of the user behind the results.
//
// Every answer is asked for as a stream; one that comes as a whole response is read
// too. A stream without response.completed or response.incomplete was cut:
// llm.KindUnavailable.
//
// Promises are those of llm/openai: safe for concurrent use, *llm.Error without a key,
// no request repeated but one that the endpoint refused, each time changed.
package responses
