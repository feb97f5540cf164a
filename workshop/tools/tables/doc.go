// Package tables has the tools that read csv files and sheets as tables: SQL,
// statistics, export.
package tables
