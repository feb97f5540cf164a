package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// A bill of materials is a CycloneDX 1.6 document (ECMA-424).
type bill struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []part       `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string `json:"timestamp,omitempty"`
	Component part   `json:"component"`
}

type part struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licenses   []licence  `json:"licenses,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	References []ref      `json:"externalReferences,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}
type licence struct {
	Expression string `json:"expression"`
}
type ref struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}
type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

// billOf returns the document for a built program with its version: the modules that the linker noted
// in it, with their licences, and the libraries inside of them. Equal programs give
// equal documents; SOURCE_DATE_EPOCH sets the time.
func billOf(version string, info *debug.BuildInfo, all []component) ([]byte, error) {
	known := map[string]component{}
	for _, c := range all {
		known[c.name] = c
	}
	main := part{Type: "application", Ref: "atelier", Name: "atelier", Version: version, Licenses: []licence{{"Apache-2.0"}}}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS", "GOARCH", "CGO_ENABLED", "-tags", "vcs.revision":
			main.Properties = append(main.Properties, property{"go:" + s.Key, s.Value})
		}
	}
	out := bill{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{Timestamp: timestamp(), Component: main}}
	std := known[standardLibrary]
	std.version = strings.TrimPrefix(info.GoVersion, "go")
	out.Components = append(out.Components, partOf(std, "pkg:golang/std@"+std.version))
	pdfium := false
	for _, d := range info.Deps {
		c, ok := known[d.Path]
		if !ok || d.Replace != nil || c.version != d.Version {
			return nil, fmt.Errorf("the licence of %s %s is not known here: was the program built from other sources?", d.Path, d.Version)
		}
		p := partOf(c, "pkg:golang/"+d.Path+"@"+d.Version)
		// The sum of go.sum is a SHA-256 of the list of a module's files.
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(d.Sum, "h1:")); err == nil && len(sum) == sha256.Size {
			p.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
		}
		out.Components = append(out.Components, p)
		pdfium = pdfium || d.Path == "github.com/klippa-app/go-pdfium"
	}
	for _, c := range all {
		if pdfium && strings.Contains(c.name, "PDFium") {
			out.Components = append(out.Components, partOf(c, ""))
		}
	}
	dep := dependency{Ref: main.Ref}
	for _, c := range out.Components {
		dep.On = append(dep.On, c.Ref)
	}
	out.Dependencies = []dependency{dep}
	content, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of version 8 (RFC 9562), from the content
	out.Serial = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	content, err = json.MarshalIndent(out, "", " ")
	return append(content, '\n'), err
}

func partOf(c component, purl string) part {
	p := part{Type: "library", Ref: purl, Name: c.name, Version: c.version, Licenses: []licence{{c.licence}}, PURL: purl, References: []ref{{"website", c.url}}}
	if purl == "" {
		p.Ref = strings.ReplaceAll(c.name, " ", "-")
	}
	return p
}

func timestamp() string {
	n, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return ""
	}
	return time.Unix(n, 0).UTC().Format(time.RFC3339)
}
