//go:build purepdf

package buildinfo

const build = "purepdf"
