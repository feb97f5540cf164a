//go:build !unix

package main

import "os"

func keepRunning() {}

func inForeground(*os.File) bool { return true }

func waitForeground(*os.File) bool { return false }
