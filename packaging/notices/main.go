// Command notices writes THIRD_PARTY_NOTICES.txt, the licences of everything in the
// program, or the bill of materials of a built program.
//
//	go run ./packaging/notices
//	go run ./packaging/notices -sbom FILE -program dist/atelier -version 0.9.0
//
// Texts of licences come from the module cache, those of C libraries that a module has
// in it as WebAssembly from the folder extra.
package main

import (
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Notices is the name of the file that this program writes, beside its sources.
const Notices = "THIRD_PARTY_NOTICES.txt"

func main() {
	sbom := flag.String("sbom", "", "write the bill of materials of -program to this file")
	program := flag.String("program", "", "a built program")
	version := flag.String("version", "", "the version of -program")
	flag.Parse()
	if err := run(*sbom, *program, *version); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(sbom, program, version string) error {
	all, err := components()
	if err != nil {
		return err
	}
	if sbom == "" {
		return os.WriteFile(filepath.Join(here(), Notices), noticesOf(all), 0o644)
	}
	if program == "" || version == "" {
		return errors.New("-sbom goes with -program and -version")
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	b, err := billOf(version, info, all)
	if err != nil {
		return err
	}
	return os.WriteFile(sbom, b, 0o644)
}

// here is the folder of this program's sources, found from the working folder, which
// is in the repository: a program built with -trimpath does not know where it was built.
func here() string {
	dir, err := os.Getwd()
	for at := dir; err == nil; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return filepath.Join(at, "packaging", "notices")
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return "."
}
