// Package budget shares the memory of the process between work and caches.
//
// Work reserves what it is estimated to take before it begins, and waits in order
// until that is free. What caches keep is let go for it, the least recently used
// first, whichever cache it is in.
//
//	ctx, mem, err := budget.Process.Reserve(ctx, 40<<20)
//	if err != nil {
//		return err // the context ended before the memory was free
//	}
//	defer mem.Release()
//
// # Promises
//
//   - Reservations and what is kept are never more than the limit together, except by
//     what work inside work adds (Reserve) while it lasts.
//   - Nobody who waits is passed by somebody who came later, so nobody starves.
//   - Nothing deadlocks: work that has a reservation does not wait for a second one.
//   - Who asks for more than there can be gets it alone.
package budget
