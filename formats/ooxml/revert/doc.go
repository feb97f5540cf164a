// Package revert takes single changes of an edited office file back.
//
//	plan, err := revert.NewPlan(ctx, differ, before, after)
//	plan.Groups                       // the ids of changes that go back together
//	err = plan.Write(ctx, dst, ids)   // after, with these changes as they are in before
//
// It knows no format. Units are the places where the XML of the two packages differs:
// elements that are on one side only, and elements that differ in themselves. A unit
// goes back when its bytes in after are replaced by those of before; everything else
// keeps the bytes of after. Which changes of a review a unit makes is found by trial:
// the package with one unit taken back is compared with before, and the changes that
// are no longer there are those of the unit. So what a plan says was seen, not
// concluded, and a change that the comparison tells in any format can be taken back.
//
// Rows and columns that came, went or moved are no units: an Editor that is a
// formats.LineEditor makes before have the lines of after, with which the XML is then
// compared, and undoes them one by one.
//
// Units that cannot go back alone, because the result would show other changes, are
// joined with those that share changes with them. Changes that only all units together
// undo cannot be taken back alone: Plan.Alone is false.
package revert
