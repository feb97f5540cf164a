// Package turns gives a bounded number of places to users in turns.
//
//	q := turns.New(turns.Limits{Places: 16, Waiting: 64, Each: 16})
//	t, err := q.Enter(user)   // ErrFull, ErrShare: nobody waits without bound
//	defer t.Leave()           // gives the place up, or the wait for one
//	select {
//	case <-t.Turn():          // it has a place
//	case <-ctx.Done():
//	}
//
// A place that becomes free goes to the user whose turn it is, and the next one to the next
// user: a user who waits for many places delays another user by one at a time. The tickets of
// one user have their turns in the order in which they came.
package turns
