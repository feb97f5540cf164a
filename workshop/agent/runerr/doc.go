// Package runerr is the error with which a run ends early, or a budget refuses
// work.
package runerr
