// Package skills has the instructions that a model reads when it needs them: those
// that ship with the program, those of the user, and those of a folder, which count
// only once the user has approved their content. The AGENTS.md of a folder is
// approved in the same way.
//
//	list, err := skills.Load(ctx, skills.Source{Workbench: wb, Published: wb.PublishedView(), Own: dir})
//	for _, it := range list.Undecided() {
//		err = skills.Decide(ctx, wb, it.Decision(true, time.Now()))
//	}
//	text, path, err := list.Read("report")
package skills
