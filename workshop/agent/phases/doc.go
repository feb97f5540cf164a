// Package phases keeps what a run in phases knows between its steps: what research
// found, the plan with its items, and how far both are (V-01).
//
//	st, err := rpi.Open(dir, userMessageID)   // of this message, or empty
//	for st.Phase() == rpi.Implement { i, more := st.Next(); … }
//
// The state is a folder that people can read: research.md, plan.md,
// run.json and sources.json.
// Each file is replaced as a whole and is on disk before the next step, so a run
// that was canceled or killed continues at the first phase and the first item that
// is not finished. A plan that a person edits in between is taken as it is.
package phases
