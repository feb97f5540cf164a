// Package tables has the tools that treat csv files and sheets as tables: SQL,
// statistics, export.
package tables
