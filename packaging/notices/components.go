package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// component is something of others in the program.
type component struct {
	name    string // a module's path, or what a library is called
	version string // "" for libraries inside of a module
	licence string // SPDX expression
	url     string
	sum     string // of a module, as go.sum has it
	texts   []text
}

// text is one file with a licence or notice.
type text struct{ name, body string }

// systems are those that releases are made for; modules differ by system.
var systems = []string{"darwin", "linux", "windows"}

// components returns the modules of the program on all systems and with all build
// tags, the Go standard library and the libraries of extra, each by name.
func components() ([]component, error) {
	found := map[string]component{}
	for _, system := range systems {
		for _, tags := range []string{"", "purepdf", "cluster"} {
			if err := addModules(found, system, tags); err != nil {
				return nil, err
			}
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	goroot, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	if err != nil {
		return nil, err
	}
	// Without a version: the notices stay the same with a newer Go.
	found[standardLibrary] = component{name: standardLibrary, licence: "BSD-3-Clause", url: "https://go.dev", texts: []text{{"LICENSE", string(goroot)}}}
	if err := addExtra(found); err != nil {
		return nil, err
	}
	var out []component
	for _, c := range found {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b component) int { return cmp.Compare(a.name, b.name) })
	return out, nil
}

const standardLibrary = "Go standard library"

// addModules adds the modules whose packages are linked into the program.
func addModules(found map[string]component, system, tags string) error {
	cmd := exec.Command("go", "list", "-deps", "-tags", tags, "-json=Module", "atelier/cmd/atelier")
	cmd.Dir = here()
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for dec := json.NewDecoder(pipe); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir, Sum string
				Main                    bool
				Replace                 *struct{}
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return cmd.Wait()
		} else if err != nil {
			return errors.Join(err, cmd.Wait())
		}
		m := p.Module
		if m == nil || m.Main {
			continue
		}
		if m.Replace != nil {
			return fmt.Errorf("%s is replaced: its licence must be looked at", m.Path)
		}
		if _, ok := found[m.Path]; ok {
			continue
		}
		c := component{name: m.Path, version: m.Version, sum: m.Sum, url: "https://pkg.go.dev/" + m.Path + "@" + m.Version}
		if c.texts, err = textsIn(m.Dir); err != nil {
			return err
		}
		if c.licence, err = licenceOf(c.texts); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		found[m.Path] = c
	}
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|icu-license)`)

// textsIn returns the files of a module's first folder that are about its licence.
func textsIn(dir string) ([]text, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []text
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) || e.Name() == "LICENSE-LOGO" { // of a picture that is not in the program
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, text{e.Name(), string(b)})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no file with a licence", dir)
	}
	return out, nil
}

// licenceMarks has words of each licence that no other has, with one space for white
// space.
var licenceMarks = []struct{ id, words string }{
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"BSD-3-Clause", "redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"ISC", "distribute this software for any purpose with or without fee is hereby granted"},
}

// licenceOf returns the licences of the files called LICENSE or COPYING, joined by AND.
// Two files with one licence each may mean a choice: AND is then the stricter reading.
func licenceOf(texts []text) (string, error) {
	var ids []string
	for _, t := range texts {
		if name := strings.ToUpper(t.name); strings.HasPrefix(name, "NOTICE") || strings.HasPrefix(name, "PATENTS") || strings.Contains(name, "3RD-PARTY") || strings.HasSuffix(name, ".HTML") {
			continue
		}
		body := strings.ToLower(strings.Join(strings.Fields(t.body), " "))
		known := false
		for _, m := range licenceMarks {
			if !strings.Contains(body, m.words) {
				continue
			}
			id := m.id
			if id == "BSD-3-Clause" && !strings.Contains(body, "neither the name") && !strings.Contains(body, "nor the names of") {
				id = "BSD-2-Clause"
			}
			ids, known = append(ids, id), true
		}
		if !known && strings.Contains(body, "public domain") {
			ids, known = append(ids, "LicenseRef-public-domain"), true
		}
		if !known {
			return "", fmt.Errorf("the licence in %s is not known: look at it, and add it to licenceMarks", t.name)
		}
	}
	if len(ids) == 0 {
		return "", errors.New("there is no file with a licence")
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " AND "), nil
}

// addExtra adds the libraries of the folder extra: a file has name, SPDX expression
// and address in its first three lines, and the text after an empty line.
func addExtra(found map[string]component) error {
	dir := filepath.Join(here(), "extra")
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		parts := strings.SplitN(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n", 5)
		if len(parts) != 5 || parts[3] != "" {
			return fmt.Errorf("%s does not begin with name, licence, address and an empty line", path)
		}
		found[parts[0]] = component{name: parts[0], licence: parts[1], url: parts[2], texts: []text{{"LICENSE", parts[4]}}}
		return nil
	})
}

// noticesOf returns the file with all licences. A text that several share is there
// once.
func noticesOf(all []component) []byte {
	var b strings.Builder
	b.WriteString("Atelier contains software of others. This file has their names and licences.\nIt is made by packaging/notices from the modules that the program is built with.\n\n")
	for _, c := range all {
		fmt.Fprintf(&b, "  %s %s: %s\n", c.name, c.version, c.licence)
	}
	type shared struct {
		body  string
		names []string
	}
	var texts []*shared
	byBody := map[string]*shared{}
	for _, c := range all {
		for _, t := range c.texts {
			body := plain(t.body)
			if byBody[body] == nil {
				byBody[body] = &shared{body: body}
				texts = append(texts, byBody[body])
			}
			byBody[body].names = append(byBody[body].names, c.name+", "+t.name)
		}
	}
	for _, t := range texts {
		b.WriteString("\n" + strings.Repeat("=", 80) + "\n")
		for _, n := range t.names {
			b.WriteString(n + "\n")
		}
		b.WriteString(strings.Repeat("-", 80) + "\n\n" + t.body + "\n")
	}
	return []byte(strings.ReplaceAll(b.String(), " :", ":"))
}

// plain removes white space at the ends of lines and of the text.
func plain(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
