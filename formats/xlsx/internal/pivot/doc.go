// Package pivot calculates pivot tables and reads and writes their parts
// (ECMA-376 part 1, 18.10): the definition of the cache, its records, and the
// definition of the table.
//
//	data, err := …                       // the source, column by column
//	t := &pivot.Table{Fields: …, Rows: []int{0}, Values: []pivot.Measure{{Field: 2}}}
//	grid, err := t.Calculate(ctx, data)  // cells with values, labels and roles
//	xml := t.XML(grid, …)
//
// The package knows neither workbooks nor sheets: its caller reads the source
// cells and writes the calculated ones.
package pivot
