// Package jsonrpc is what the transports of JSON-RPC 2.0 share (ipc/stdio,
// ipc/ws): the calls of the engine, the errors, the order of messages, and the
// queue of those that the client has not read yet.
//
//	box := jsonrpc.NewOutbox(write)
//	stop := eng.Subscribe(box.Notify)
//	wait := jsonrpc.Start(ctx, eng, next, box, func() {}, log)
//	err := wait() // every call is answered
//	stop()
//	box.Close()
package jsonrpc
