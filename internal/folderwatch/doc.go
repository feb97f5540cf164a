// Package folderwatch finds the files of a folder that are new or changed and that
// nobody writes any more, and remembers by their content which of them were dealt
// with, so that a restart neither forgets nor repeats one.
//
//	store, err := folderwatch.OpenStore(ctx, "out/.atelier/watch.db", recipe)
//	w, err := folderwatch.New(folderwatch.Options{Dir: "in", Refuse: refuse, Told: told}, store)
//	for {
//		files, err := w.Next(ctx, 2) // waits
//		if err != nil {
//			break
//		}
//		err = store.Begin(ctx, files)
//		… work …
//		err = store.End(ctx, files[0], folderwatch.Outcome{})
//	}
//
// Events of the system (inotify, kqueue, ReadDirectoryChangesW) say early where to
// look; full looks at the folder find what the events missed: at the start, after
// the system's queue of events overflowed, and every Options.Look. Where the system
// has no events, such as on network file systems, looks are all there is
// (Options.Poll).
//
// Memory is bounded: at most Options.Most files wait at a time; what a look finds
// beyond that, a later look finds again.
package folderwatch
