// Package fill is the tool that fills a template from data: one file for each row,
// or one for all. Package template does the filling.
package fill
