// Package crashtest proves K-01: it starts children that change a workbench,
// kills them with SIGKILL at random moments, opens what they left and compares
// it with a model kept in memory.
//
//	report, err := crashtest.Run(ctx, crashtest.Options{Kills: 5000, Child: []string{self, "-child"}})
//
// A child is a process of its own that calls crashtest.Child. The parent sends it
// one operation at a time, so it knows which one was in flight at the kill:
// everything acknowledged before must be there, the one in flight wholly or not
// at all, and nothing else may differ.
package crashtest
