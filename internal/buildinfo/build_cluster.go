//go:build cluster && !purepdf

package buildinfo

const build = "cluster"
