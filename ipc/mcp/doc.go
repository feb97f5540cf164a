// Package mcpserver serves a workbench to other agents over the Model Context Protocol
// (revisions 2024-11-05 to 2026-07-28): the tools of a catalogue, and review, publish,
// discard, undo and translate; the files as resources; prompts; completion.
//
//	srv, err := mcpserver.New(mcpserver.Options{Engine: e, Catalogue: c, Folder: dir})
//	defer srv.Close()
//	err = srv.Run(ctx, transport)                 // one client
//	handler := srv.HTTP()                         // or many, over Streamable HTTP
//
// Every change is made in the draft. Only the person publishes: where the client can ask
// the person (elicitation), it does; elsewhere Options.AllowPublish decides.
//
// # Promises
//
//   - Nothing is described twice: names, descriptions, arguments and results of tools are
//     those of the registry and of the protocol.
//   - A model gets what a model of Atelier gets: rules of the person, secret files and
//     limits of results count, and each change is a step that can be undone.
//   - A client that is gone, slow or hostile holds nothing: calls at once, messages,
//     results and subscriptions are bounded.
package mcpserver
