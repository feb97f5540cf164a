// Package engine is Atelier's API: one method per remote procedure, events out.
// It owns the open workbenches, the model clients and the running agents; how
// a client reaches it (stdio, HTTP) is package ipc's business.
//
//	e, err := engine.New(engine.Options{Home: dir})
//	defer e.Close()
//	stop := e.Subscribe(func(n engine.Notification) { … })
//	result, err := e.Call(ctx, "WorkbenchCreate", json.RawMessage(`{"name":"Contracts"}`))
//
// Every method stands in one table ([Methods]); the dispatcher, docs/protocol.md
// and the OpenRPC schema come from it. Errors are *ErrorInfo.
//
// # Promises
//
//   - Notifications of one run come in program order, and all of them before
//     the method that ran it returns (I-25).
//   - No panic of a method leaves Call.
package engine
