// Package docs has the tools that know files by docPath, and the rule that says
// which copy of a file is the truth (AGN-007).
package docs
