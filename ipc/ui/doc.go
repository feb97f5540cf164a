// Package ui serves the page on which a person watches a model work, answers
// it, and reviews and publishes the draft. The page is a client of ipc/ws: it
// uses the same methods and notifications as any other app.
//
//	id, err := ui.OpenIdentity(filepath.Join(home, "ui"), key)
//	l, err := ui.Listen(id, "")
//	srv := ui.New(eng, id, l, ui.Options{Folder: wb.Root(), WorkbenchID: wb.ID()})
//	fmt.Println(srv.Address())
//	err = srv.Serve(ctx)
//
// # Who may connect
//
//   - Requests with another Host than the page's own are refused, and so are
//     calls and WebSockets from another Origin.
//   - The files of the page hold nothing of the person's; everything else comes
//     over the WebSocket.
//   - A token, used once, makes a session: a cookie at a host name of its own
//     and a key. The key proves the page to the server and the server to the
//     page before either says anything else. It is sent once, at the start.
//   - A session is kept across restarts as long as the server gets its port
//     back. When another program has the port, all sessions end and the page has
//     a new address.
//
// docs/decisions/0097-who-may-open-the-page.md gives the reasons.
package ui
