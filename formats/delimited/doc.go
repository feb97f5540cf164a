// Package delimited reads delimiter-separated text (csv, tsv) as a stream: its
// dialect, its records and the types of its columns.
//
//	d := delimited.Detect(head, ".csv")          // head: the first 64 KiB, in UTF-8
//	r := delimited.NewReader(stream, d.Delimiter)
//	for {
//		fields, err := r.Read()                   // io.EOF at the end
//	}
//
// Records follow RFC 4180 with the leniency of spreadsheets: a quote counts
// only at the start of a field, records may have any number of fields, blank
// lines are not records, and a quote that is never closed ends with the file.
package delimited
