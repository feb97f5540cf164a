// Package ws serves the engine as JSON-RPC 2.0 over WebSockets, one object a
// message, for pages and apps that are several at once.
//
//	h := ws.New(eng, ws.Options{})
//	http.Handle("/ws", h) // behind what checks who asks
//	h.Shutdown(ctx)
//
// # Promises
//
//   - Order, seq, joined text deltas, errors and limits are those of ipc/stdio.
//   - A connection gets the notifications of a workbench from its first
//     EventsResume of it on.
//   - A connection whose client does not read, or does not answer pings, is
//     closed; the others notice nothing of it.
//   - Calls in progress go on when their connection ends, and questions wait for
//     the next one.
//
// A browser's connection from a page of another origin is refused. Who may
// connect is otherwise not for this package to know.
package ws
