// Package skills has the instructions for common work that ship with the program.
// A model gets their names with its tools and reads one when it needs it.
package skills

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"atelier/workshop"
)

//go:embed builtin
var builtin embed.FS

// Names returns the names of the skills, sorted.
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

// Read returns the text of a skill; a NotFound fault names those there are.
func Read(name string) (string, error) {
	name = strings.TrimSpace(name)
	if !slices.Contains(Names(), name) {
		return "", workshop.Unknownf("there is no such skill; there are %s", strings.Join(Names(), ", ")).OnField("name")
	}
	b, err := builtin.ReadFile("builtin/" + name + ".md")
	return string(b), err
}
