// Package openai asks any endpoint that speaks OpenAI's Chat Completions.
//
//	c := openai.New(openai.Options{})                                            // api.openai.com
//	c := openai.New(openai.Options{BaseURL: "http://localhost:11434"})           // Ollama, no key
//	resp, err := c.Chat(ctx, llm.Request{Key: key, Model: model, Messages: messages, Tools: tools, Stream: true, OnDelta: onDelta})
//
// Requests and types are go-openai's. Under it lies a transport that reads what
// endpoints really send and hands on a clean answer: text as it comes, whole
// tool calls with unique ids in order, a finish reason out of OpenAI's list, the
// usage, the end. It copes with
//
//   - calls whose index is missing, null, repeated, sparse or not from 0; whose
//     id is missing, on every chunk or used twice; whose name comes late or again;
//     whose arguments are an object, empty, sent twice or encoded twice
//   - finish reasons that are null, odd, or "stop" beside calls
//   - usage without choices, no [DONE], a connection left open after it
//   - comments, CRLF, a byte order mark, data over several lines, a missing last
//     blank line, lines of any length, a whole JSON answer instead of a stream
//   - errors in the middle of a stream, an error or a web page with status 200
//   - reasoning in reasoning_content or reasoning; calls written inside the text
//     (Options.TextToolCalls)
//
// A stream that ends with neither a finish reason nor [DONE] was cut: that is an
// error (llm.KindUnavailable) with the text so far and no call. Each behaviour
// has a case in assembly_test.go, over real HTTP.
//
// Promises: a Client is safe for concurrent use; an error is an *llm.Error, holds
// no key, and carries what Retry-After asked for; nothing is retried but a
// request the endpoint refused for one optional parameter, once, without it.
package openai
