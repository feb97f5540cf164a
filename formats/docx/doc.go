// Package docx reads and edits WordprocessingML documents (ECMA-376-1, 17).
//
//	f := docx.Format()
//	text, err := f.Reader.Read(ctx, src, formats.Selector{Section: "Terms"})
//	report, err := f.Editor.Apply(ctx, src, &out, []json.RawMessage{
//		json.RawMessage(`{"op":"replace_text","search":"2024","replace":"2025"}`)}, formats.ApplyOptions{})
//
// Parts are found through relationships, strict documents are read like
// transitional ones. Text is edited through package paragraph, so formatting,
// pictures, fields and tracked changes around it keep their bytes; parts that
// an edit does not concern are copied raw.
package docx
