package buildinfo

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// SemVersion is a semantic version (semver.org 2.0.0) without its build metadata.
type SemVersion struct {
	Major, Minor, Patch uint64
	Pre                 string // "rc.1"; "" for a release
}

// maxVersion is the maximum length of a version, in bytes.
const maxVersion = 128

// errNoVersion is the error for a text that is no semantic version.
var errNoVersion = errors.New("not a version such as 0.9.0")

// ParseVersion reads "0.9.0", "v0.9.0" or "0.9.0-rc.1+meta".
func ParseVersion(s string) (SemVersion, error) {
	if len(s) > maxVersion {
		return SemVersion{}, errNoVersion
	}
	s = strings.TrimPrefix(s, "v")
	s, _, _ = strings.Cut(s, "+")
	core, pre, hasPre := strings.Cut(s, "-")
	parts := strings.Split(core, ".")
	if len(parts) != 3 || hasPre && !validPre(pre) {
		return SemVersion{}, errNoVersion
	}
	var n [3]uint64
	for i, p := range parts {
		var err error
		if n[i], err = number(p); err != nil {
			return SemVersion{}, errNoVersion
		}
	}
	return SemVersion{n[0], n[1], n[2], pre}, nil
}

// number reads a number without leading zeros (semver.org, clause 2).
func number(s string) (uint64, error) {
	if s != "0" && (s == "" || s[0] < '1' || s[0] > '9') {
		return 0, errNoVersion
	}
	return strconv.ParseUint(s, 10, 32)
}

func validPre(pre string) bool {
	for _, id := range strings.Split(pre, ".") {
		if id == "" || strings.Trim(id, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-") != "" {
			return false
		}
	}
	return true
}

// isRelease reports whether v is neither a prerelease nor what the go command makes
// of a commit without a tag.
func (v SemVersion) isRelease() bool { return v.Pre == "" && v != SemVersion{} }

// String returns the version without a leading v.
func (v SemVersion) String() string {
	s := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Pre != "" {
		s += "-" + v.Pre
	}
	return s
}

// Compare returns -1, 0 or 1: whether a precedes, equals or follows b (semver.org,
// clause 11).
func Compare(a, b SemVersion) int {
	if c := cmp.Or(cmp.Compare(a.Major, b.Major), cmp.Compare(a.Minor, b.Minor), cmp.Compare(a.Patch, b.Patch)); c != 0 {
		return c
	}
	switch {
	case a.Pre == b.Pre:
		return 0
	case a.Pre == "":
		return 1
	case b.Pre == "":
		return -1
	}
	x, y := strings.Split(a.Pre, "."), strings.Split(b.Pre, ".")
	for i := range min(len(x), len(y)) {
		if c := compareIdentifiers(x[i], y[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// compareIdentifiers orders numbers by value, before words; words by their bytes.
func compareIdentifiers(a, b string) int {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return strings.Compare(a, b)
}
