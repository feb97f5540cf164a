// Package crashtest tests K-01: it starts child processes that change a
// workbench, kills them with SIGKILL at random moments, opens the workbench again
// and compares it with a model in memory.
//
//	report, err := crashtest.Run(ctx, crashtest.Options{Kills: 5000, Child: []string{self, "-child"}})
//
// A child is a separate process that calls crashtest.Child. The parent sends it
// one operation at a time, so it knows which one was in flight at the kill:
// all acknowledged operations must be present, the one in flight completely or
// not at all, and nothing else may differ.
package crashtest
