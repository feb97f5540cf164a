// Package provenance says whose content a result carries: the files of a workbench
// that a tool call took something from, by their paths. What a model was shown
// can so be told from what it was not, long after the files have gone.
//
//	trail := sources.NewTrail()               // of a run
//	set := &sources.Set{}                     // of one call
//	env.View = trail.Over(view, set)
//	tool(sources.With(ctx, set), env)
//	set.List()                                // files that were opened, or that the tool named
//
// # Promises
//
//   - A file that is opened is a source, unless the tool looks through files
//     (Aside) and names those it found something in (Found).
//   - A file that is read where a run has moved it counts under the name it had
//     before, and one that the run made itself is no source: whatever it was
//     made of is one already.
package provenance
