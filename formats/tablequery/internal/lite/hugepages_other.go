//go:build !linux

package lite

func useHugePages([]byte) {}
