package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// folder is the folder of this program's source, where programs and .peers are. It is
// found from the working folder, which is in the repository: a program built with
// -trimpath does not know where it was built.
func folder() string {
	dir, err := os.Getwd()
	for at := dir; err == nil; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return filepath.Join(at, "testdata", "peers")
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return "."
}

func raw(args string) map[string]any {
	var m map[string]any
	if err := json.Unmarshal([]byte(args), &m); err != nil {
		panic(fmt.Sprintf("%s: %v", args, err))
	}
	return m
}

// program tells whether a program is installed.
func program(name string) func() error {
	return func() error { _, err := exec.LookPath(name); return err }
}

// debianPython is the Python that has Debian's packages.
const debianPython = "/usr/bin/python3"

// python is a program of the folder programs that imports a module.
func python(name, module, file string, want func(input) string, args func(input) []string) peer {
	here := sync.OnceValue(func() error {
		cmd := exec.Command(debianPython, "-c", "import common, "+module)
		cmd.Dir = filepath.Join(folder(), "programs")
		return cmd.Run()
	})
	return peer{name, here, func(in input) []string {
		return append([]string{debianPython, "-B", filepath.Join(folder(), "programs", file+".py")}, args(in)...)
	}, want}
}

// node is a program of the folder programs that uses modules of npm.
func node(name, file string, want func(input) string, args func(input) []string) peer {
	return peer{name, func() error {
		if err := program("node")(); err != nil {
			return err
		}
		_, err := os.Stat(filepath.Join(folder(), ".peers", "node_modules", "@duckdb", "node-api"))
		return err
	}, func(in input) []string {
		return append([]string{"node", filepath.Join(folder(), "programs", file+".mjs")}, args(in)...)
	}, want}
}
