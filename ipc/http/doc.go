// Package httpapi serves the engine over HTTP: the tools of a workspace at one
// endpoint, its trash, answers to questions, its draft, and runs of the agent
// with a stream of their events.
//
//	srv, err := httpapi.New(httpapi.Options{Engine: e, Accounts: store, Tokens: tokens})
//	err = srv.Serve(ctx, listener) // until ctx ends; then running calls may finish
//
// A request passes, in this order: request id, access log, recovery from panics,
// cross-origin rules, the route, authentication (H-14, H-15), the user's rate,
// access to the workspace (H-16), and the handler. So checks have the order of
// C-48: 401, then 400 for a malformed id, 403, 400 for the body, 404 for the
// tool, and then the tool's checks.
//
// With Options.Page it also serves the page of package ui: a session made of a
// token, and a WebSocket whose calls have the rights of the routes.
//
// With Options.Figures it counts what it does, for Prometheus.
//
// docs/http.md is the documentation for callers; GET /api/v1/openapi.json
// describes every route and the arguments of every tool.
package httpapi
