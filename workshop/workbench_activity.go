package workshop

import (
	"os"
	"path/filepath"
	"sync"
)

// Activity is work on a workbench as a whole: a run of a model, or something done by
// the person that replaces what a run would be working on. There is at most one
// at a time.
type Activity string

// The activities.
const (
	ActRun         Activity = "run"
	ActTranslation Activity = "translation"
	ActSummary     Activity = "summary" // of the conversation, when asked for
	ActPublish     Activity = "publish"
	ActDiscard     Activity = "discard"
	ActRevert      Activity = "revert" // of single changes of the draft
	ActUndo        Activity = "undo"
	ActCheckpoint  Activity = "checkpoint"
	ActRestore     Activity = "restore"
	ActAttach      Activity = "attach" // of files to a message
	ActDelete      Activity = "delete" // of the workbench
)

var activityWords = map[Activity]string{
	ActRun: "a run", ActTranslation: "a translation", ActSummary: "a summary of the conversation", ActPublish: "a publish", ActDiscard: "a discard of the draft",
	ActRevert: "a rejection of changes", ActUndo: "an undo", ActCheckpoint: "a checkpoint", ActRestore: "a restore", ActAttach: "the attaching of files", ActDelete: "the deletion of the workbench",
}

// String names the activity in words; "" for one that is not known.
func (a Activity) String() string { return activityWords[a] }

// long reports whether a person would rather cancel it than wait.
func (a Activity) long() bool { return a == ActRun || a == ActTranslation || a == ActSummary }

// Busy is the cause of the Conflict that Begin gives: what is in progress.
type Busy struct{ With Activity }

// Error says what is in progress.
func (b Busy) Error() string { return b.With.String() + " is already in progress in this workbench" }

// activities is the one that is in progress.
type activities struct {
	mu  sync.Mutex // protects now, and is held while the file is written
	now Activity   // "" is none
}

// Begin takes the workbench for an activity until end is called. While another
// one has it, it is a Conflict whose cause is Busy. Looking and taking is one
// step, so of two that begin at once one is refused (W-13).
func (wb *Workbench) Begin(a Activity) (end func(), err error) {
	wb.activity.mu.Lock()
	defer wb.activity.mu.Unlock()
	if with := wb.activity.now; with != "" {
		f := Faultf(Conflict, "%w", Busy{with})
		f.Hint, f.Retryable = "try again when it has ended", true
		if with.long() {
			f.Hint = "wait until it has ended, or cancel it first"
		}
		return nil, f
	}
	wb.setActivity(a)
	return sync.OnceFunc(func() {
		wb.activity.mu.Lock()
		defer wb.activity.mu.Unlock()
		wb.setActivity("")
	}), nil
}

// Activity returns what is in progress, "" when nothing is.
func (wb *Workbench) Activity() Activity {
	wb.activity.mu.Lock()
	defer wb.activity.mu.Unlock()
	return wb.activity.now
}

// setActivity also tells other processes, whose errors name it; nothing depends
// on that, so it is neither synced nor does it fail. wb.activity.mu is held.
func (wb *Workbench) setActivity(a Activity) {
	wb.activity.now = a
	if wb.lock != nil {
		_ = os.WriteFile(activityFile(wb.dir), []byte(a), 0o600)
	}
}

func activityFile(dir string) string { return filepath.Join(dir, "lock.activity") }
