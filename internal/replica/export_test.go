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
