//go:build purepdf && !cluster

package buildinfo

const build = "purepdf"
