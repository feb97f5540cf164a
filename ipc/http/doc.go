// Package httpapi serves the engine over HTTP: the tools of a workspace at one
// endpoint, its trash, answers to questions, its draft, and runs of the agent
// with their events as a stream.
//
//	srv, err := httpapi.New(httpapi.Options{Engine: e, Accounts: store, Tokens: tokens})
//	err = srv.Serve(ctx, listener) // until ctx ends; then what runs is let end
//
// A request passes, in this order: request id, access log, recovery from
// panics, cross-origin rules, the route, authentication (H-14, H-15), the
// user's rate, access to the workspace (H-16), and the handler. So the checks
// of C-48 come in its order: 401, then 400 for a malformed id, 403, 400 for the
// body, 404 for the tool, and then the tool's own.
//
// docs/http.md is where a caller reads about it; GET /api/v1/openapi.json
// describes every route and the arguments of every tool.
package httpapi
