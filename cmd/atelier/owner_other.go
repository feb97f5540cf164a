//go:build !unix

package main

// ownerHint returns "": only Unix has numbers of owners.
func ownerHint(error) string { return "" }
