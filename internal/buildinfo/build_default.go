//go:build !purepdf

package buildinfo

const build = "default"
