// Package endpoint has what the clients of all model APIs need to ask an endpoint
// over HTTP: its address, the transport with its headers and redirects, the limit of
// silence, the limits of answers, refusals as typed errors, the list of models, and
// what was learned of the endpoint while the program runs.
//
// llm/openai, llm/anthropic and llm/responses embed a Base each; llm/api chooses
// among them.
package endpoint
