// Package buildinfo says which build of the program runs: its version, the commit
// it was made from, and where its releases are announced.
//
//	info := buildinfo.Read()
//	fmt.Println(info.Version, info.Commit)
package buildinfo

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// next is the version that the sources lead to. Builds that are no release have it
// with the suffix "-dev".
const next = "0.9.0"

// Unknown is a commit or date that the build does not have.
const Unknown = "unknown"

// A release sets these at link time:
//
//	-ldflags "-X atelier/internal/buildinfo.version=0.9.0 …"
var (
	version  string // without a leading v
	commit   string // in full
	date     string // of the commit, RFC 3339, UTC
	releases string // the address that tells the newest release
)

// Info describes a build.
type Info struct {
	Version  string `json:"version"`  // semantic version without a leading v: "0.9.0", "0.9.0-dev"
	Protocol string `json:"protocol"` // of the JSON-RPC interface; set by the caller
	Commit   string `json:"commit"`   // in full, or "unknown"
	Modified bool   `json:"modified"` // the sources differed from the commit
	Date     string `json:"date"`     // of the commit, RFC 3339 in UTC, or "unknown"
	Go       string `json:"go"`       // "go1.26.8"
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Build    string `json:"build"` // "default", or the tags of the build: "cluster", "purepdf", "cluster, purepdf"
}

// Version returns the version of this build.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return versionOf(info)
	}
	return next + "-dev"
}

// Releases returns the address that tells the newest release; "" if the build has
// none.
func Releases() string { return releases }

// Read returns what the linker was told, else what the go command noted of the
// sources, else "unknown".
func Read() Info {
	info, _ := debug.ReadBuildInfo()
	return read(info)
}

func read(info *debug.BuildInfo) Info {
	out := Info{Version: version, Commit: commit, Date: date, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Build: build}
	if info == nil {
		info = &debug.BuildInfo{}
	}
	if out.Version == "" {
		out.Version = versionOf(info)
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && out.Commit == "":
			out.Commit = s.Value
		case s.Key == "vcs.time" && out.Date == "":
			out.Date = s.Value
		case s.Key == "vcs.modified" && commit == "":
			out.Modified = s.Value == "true"
		}
	}
	if out.Commit == "" {
		out.Commit = Unknown
	}
	if out.Date == "" {
		out.Date = Unknown
	}
	return out
}

// versionOf returns the version of a build without a version from the linker. The
// go command notes the tag of the commit as the version of the main module where
// the sources are those of a tag.
func versionOf(info *debug.BuildInfo) string {
	tag, isTag := strings.CutPrefix(info.Main.Version, "v")
	if v, err := ParseVersion(tag); isTag && err == nil && v.isRelease() {
		return tag
	}
	return next + "-dev"
}
