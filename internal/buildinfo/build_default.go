//go:build !purepdf && !cluster

package buildinfo

const build = "default"
