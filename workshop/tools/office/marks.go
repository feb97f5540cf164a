package office

import "atelier/workshop/tools/marks"

// refuseMarks refuses texts that contain Atelier's own markers from results,
// such as the address before a paragraph.
func refuseMarks(a officeArgs) error {
	if a.Literal {
		return nil
	}
	for i, op := range a.Operations {
		if err := marks.RefuseOp(op, i, "; literal: true beside operations writes it as it is"); err != nil {
			return err
		}
	}
	return nil
}
