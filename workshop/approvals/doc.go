// Package approvals says what a model may do without asking: a policy of rules
// by tool, path and effect, what the person has allowed for good, and a gate
// that every file a tool opens or changes passes.
//
//	gate := run.Call(approvals.Call{Tool: "write_text_file", ID: "tc-1", Ask: ask})
//	env.View = gate.View(view)   // asks before anything is changed
//	result := catalogue.Call(…)
//	err := gate.Done(ctx)        // asks before anything that was read is told
//
// The gate stands where a tool meets the files, behind every path policy, name
// of a tool, batch and docPath, so it sees the paths that are really concerned
// and no spelling gets past it.
package approvals
