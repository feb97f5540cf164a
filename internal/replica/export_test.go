package replica

// SetRecycleAfter sets after how many bytes a database's log is begun anew, until undo is
// called.
func SetRecycleAfter(n int64) (undo func()) {
	old := recycleAfter
	recycleAfter = n
	return func() { recycleAfter = old }
}

// SetLog replaces the log of an owner.
func (r *Replica) SetLog(l Log) { r.log = l }

// SetKeptMost sets how much of logs takeovers keep, until undo is called.
func SetKeptMost(n int64) (undo func()) {
	old := keptMost
	keptMost = n
	return func() { keptMost = old }
}

// KeptNow is how much takeovers keep.
func KeptNow() int64 { return keptNow.Load() }
