package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

// Each direct dependency has its row in docs/decisions/0037-dependencies.md, no
// row is of another, and a row says rightly whether the module is in the binary.
func TestDependenciesAreExplained(t *testing.T) {
	need.Program(t, "go", "golang")
	out, err := exec.Command("go", "mod", "edit", "-json", "../../go.mod").Output()
	require.NoError(t, err)
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	require.NoError(t, json.Unmarshal(out, &mod))
	var direct, rows []string
	for _, r := range mod.Require {
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	built := modules(t, ".")
	page, err := os.ReadFile("../../docs/decisions/0037-dependencies.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .+ \\| .+ \\| (.+) \\| .+ \\| \\d{4}-\\d{2} \\|$").FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, m[1])
		require.Equal(t, built[m[1]] != "", m[2] == "binary", m[1])
	}
	require.ElementsMatch(t, direct, rows)
	require.Greater(t, len(rows), 20)
}

// modules returns the folders of the modules that a package and its
// dependencies come from, by module path.
func modules(t *testing.T, args ...string) map[string]string {
	need.Program(t, "go", "golang")
	out, err := exec.Command("go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}"}, args...)...).Output()
	require.NoError(t, err)
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			dirs[path] = dir
		}
	}
	return dirs
}

// licences are phrases that identify a permissive licence in its own words.
var licences = map[string]string{
	"MIT":        "Permission is hereby granted, free of charge, to any person obtaining a copy",
	"BSD":        "Redistribution and use in source and binary forms, with or without modification, are permitted",
	"Apache 2.0": "Apache License Version 2.0",
	"ISC":        "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted",
	"ISC, 2007":  "Permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted",
	"CC0":        "CC0 1.0 Universal",
}

// TestLicencesArePermissive reads the licence of every module whose code is
// built, for the program and its tests. rapid alone has a licence (MPL 2.0) with
// conditions on changes of rapid itself, and is in tests only.
func TestLicencesArePermissive(t *testing.T) {
	licence := func(dir string) string {
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		for _, path := range found {
			if name := strings.ToUpper(filepath.Base(path)); !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") {
				continue
			}
			b, err := os.ReadFile(path)
			if err != nil {
				continue
			}
			text := strings.Join(strings.Fields(string(b)), " ")
			for name, phrase := range licences {
				if strings.Contains(text, phrase) {
					return name
				}
			}
		}
		return ""
	}
	binary, all := modules(t, "."), modules(t, "-test", "../../...")
	require.Greater(t, len(all), len(binary))
	require.Greater(t, len(binary), 20)
	for path, dir := range all {
		if licence(dir) == "" {
			require.Equal(t, "pgregory.net/rapid", path, "the licence of %s is missing or not known to be permissive", path)
			require.NotContains(t, binary, path)
		}
	}
}
