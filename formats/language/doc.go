// Package language gives the properties of a language that documents store: its
// direction, the font slot of its script, and the culture name that Office
// programs use.
package language
