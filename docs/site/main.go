package main

import (
	"embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed assets
var assets embed.FS

func main() {
	root := flag.String("root", ".", "root of the repository")
	out := flag.String("out", "", "folder to write, which is made; files of an earlier run are replaced")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: site [-root DIR] -out DIR")
		os.Exit(2)
	}
	pages, err := build(*root, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s; begin with %s\n", pages, *out, filepath.Join(*out, "index.html"))
}
