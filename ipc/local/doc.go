// Package local lets commands of the same user call the methods of the process that
// has their folder open, over a Unix socket (decision 101), or over a named
// pipe on Windows (decision 127). Messages are JSON-RPC 2.0,
// one object a line, as in package stdio, after an exchange in which each side makes
// sure of the other.
//
//	l, err := local.Listen(home)                     // in the process that has folders open
//	srv := local.New(l, local.Options{Version: v, Admit: admit})
//	err = srv.Serve(ctx)
//
//	c, err := local.Dial(ctx, address, hello, notify) // in a command
//	result, err := c.Call(ctx, "DraftPublish", params)
//
// # Promises
//
//   - Only processes of the same user are answered, and only servers of the same
//     user are told anything: the folder of the socket is the user's alone, and both
//     sides ask the system who the other is, where it says that. A named pipe
//     belongs to the user and can be opened by no other; the client looks at its
//     owner.
//   - Only the same version of the program is answered.
//   - The calls of a client that goes away are canceled.
//   - A client that does not read holds up nobody, and what waits for it is bounded:
//     its connection is closed then, and its calls are canceled.
//   - A client notices within a minute when the server does not answer any more.
package local

import "errors"

// ErrUnsupported says that this system has no sockets that are safe for this.
var ErrUnsupported = errors.New("commands cannot be taken on this system")
