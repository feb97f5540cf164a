package skills

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed builtin
var builtin embed.FS

// Names returns the names of the skills that ship with the program, sorted.
func Names() []string {
	entries, err := builtin.ReadDir("builtin")
	if err != nil {
		panic(fmt.Sprintf("skills: %v", err)) // the files are part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".md")
	}
	return names
}

// builtins returns the skills that ship with the program.
func builtins() List {
	var out List
	for _, name := range Names() {
		b, err := builtin.ReadFile("builtin/" + name + ".md")
		if err != nil {
			panic(fmt.Sprintf("skills: %v", err))
		}
		out = append(out, newItem(name, FromProgram, []file{{skillFile, b}}))
	}
	return out
}
