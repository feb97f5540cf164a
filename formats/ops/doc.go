// Package ops is the table of the operations of a format's editor.
//
// A row of the table is a name, an argument struct and the function that
// applies the operation. The struct is the only place that names the members
// of the operation: decoding, the usage line and the schema that models see,
// docs/operations.md, the reports of ignored members and the errors come from
// it.
//
//	type deleteRowsArgs struct {
//		Sheet string       `json:"sheet" usage:"sheet" jsonschema:"name of the sheet"`
//		Row   *lenient.Int `json:"row" usage:"row (1-based)" jsonschema:"{ops}: the first row"`
//		Count *lenient.Int `json:"count" jsonschema:"how many; default 1"`
//	}
//
//	func (e *edit) deleteRows(ctx context.Context, args deleteRowsArgs) error { … }
//
//	var operations = ops.NewTable(
//		ops.Define("delete_rows", (*edit).deleteRows),
//	)
//
// A new operation is a file with its struct and its function, and one line in
// the table. The fields of embedded structs count as the operation's own, so
// that members which several operations take are written once.
//
// Tags of a field:
//
//   - json is the member's name.
//   - usage is how the member appears in the usage line: "sheet" when it is
//     required, "sheet?" when it may be left out, with a remark in parentheses
//     if it needs one. Members are separated by commas; a usage that begins
//     with "or" is an alternative to the member before it, one that begins
//     with ";" begins another form of the operation. Without the tag the usage
//     is the name with a question mark. The usage "-" is for a member that the
//     operation reads only to refuse it; no line and no schema names it.
//   - jsonschema describes the member, with its unit and the values allowed. The
//     schema has one description for each member: the texts of all operations,
//     the one that most operations share first. "{ops}" becomes the names of
//     the operations that share the text.
//   - shape says in an error which JSON value is expected, where the type alone
//     does not say enough: `[["a1","b1"],…]`.
//   - old is an earlier name of the member, which is still read when the member
//     itself is absent.
//
// An embedded struct with the tag as is a list of members that another operation
// explains: `as:"change_chart"` puts "(and members of change_chart)" at the end of the
// usage line instead of the members.
//
// A field `_ struct{}` with a usage is a remark of an operation without members.
package ops
