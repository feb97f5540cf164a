package workshop

import (
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"atelier/internal/lazyregexp"
)

// ParseStrict applies the path policy of the workshop catalogue (W-20): a relative
// '/'-separated path below the root. Absolute paths, "..", NUL, backslashes and
// drive letters are Sandbox faults. "", "." and "/" alone are not files; "." is
// the root.
func ParseStrict(s string) (Path, error) {
	refuse := func(why string) (Path, error) {
		f := Faultf(Sandbox, "SANDBOX_VIOLATION: the path %q %s", s, why)
		f.Hint = "give a path relative to the workbench, such as reports/q3.xlsx"
		return "", f
	}
	switch {
	case !utf8.ValidString(s):
		return refuse("is not valid UTF-8")
	case strings.ContainsRune(s, 0):
		return refuse("contains a NUL character")
	case strings.Contains(s, `\`):
		return refuse("contains a backslash; separate folders with /")
	case strings.HasPrefix(s, "/"):
		return refuse("is absolute")
	case len(s) >= 2 && s[1] == ':' && isLetter(s[0]):
		return refuse("begins with a drive letter")
	}
	for _, seg := range strings.Split(s, "/") {
		if seg == ".." {
			return refuse("contains ..")
		}
	}
	return internal(path.Clean("/" + s))
}

// ParseClamp applies the path policy of the HTTP tools (B-01): blanks around are
// dropped, slashes collapse, "." and ".." are resolved and never climb above
// the root.
func ParseClamp(s string) (Path, error) {
	s = strings.TrimSpace(s)
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return "", Faultf(Invalid, "the path %q is not valid", s)
	}
	return internal(path.Clean("/" + s))
}

// longestPath is the most bytes of a path: PATH_MAX of Linux. Looking at a file looks at
// each folder above it, so a path of thousands of folders would take minutes.
const longestPath = 4096

// internal makes a Path of a clean absolute one.
func internal(abs string) (Path, error) {
	p := Path(strings.TrimPrefix(abs, "/"))
	if len(p) > longestPath {
		return "", Faultf(Invalid, "the path %.40q… has %d bytes; %d is the most", p, len(p), longestPath)
	}
	if reserved(p) {
		return "", Faultf(Sandbox, "SANDBOX_VIOLATION: %s is kept for Atelier itself", p)
	}
	for _, seg := range strings.Split(string(p), "/") {
		if len(seg) > 255 {
			return "", Faultf(Invalid, "the name %.40q… has %d bytes; 255 is the most a file system holds", seg, len(seg))
		}
		if why := unfitForWindows(seg); why != "" && onWindows {
			return "", Faultf(Invalid, "the name %q cannot exist on Windows: it %s", seg, why)
		}
	}
	return p, nil
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// stateDir is the folder of a root that a team may share; tools never see it.
const stateDir = ".atelier"

// shortState matches the short names under which Windows finds .atelier, too: six
// letters and a number or, after four of these, two letters and four digits of a hash.
var shortState = lazyregexp.New(`(?i)^(ATELIE|AT[0-9A-F]{4})~[1-9]$`)

// tempPrefix begins the names of files this package is about to rename.
const tempPrefix = ".atelier-tmp-"

// reserved reports whether a path is invisible to tools.
func reserved(p Path) bool {
	first, _, _ := strings.Cut(string(p), "/")
	if onWindows && shortState.MatchString(first) {
		return true
	}
	return strings.EqualFold(first, stateDir) || strings.HasPrefix(Entry{Path: p}.Name(), tempPrefix)
}

// litter reports whether a file is a lock or cache of another program that a
// listing should not show.
func litter(name string) bool {
	return cache(name) || lockFile(name)
}

// lockFile reports whether a file says that an office program has a document
// open.
func lockFile(name string) bool {
	return strings.HasPrefix(name, "~$") || strings.HasPrefix(name, ".~lock.")
}

// lockedIn names a lock file in a published folder, which listings leave out.
func (wb *Workbench) lockedIn(dir Path) string {
	entries, err := fs.ReadDir(wb.root.FS(), rootName(dir))
	if err != nil {
		return "" // not published
	}
	for _, e := range entries {
		if lockFile(e.Name()) {
			return e.Name()
		}
	}
	return ""
}

// ReservedName reports whether a name is one that listings do not show, or that
// stands for a device on Windows.
func ReservedName(name string) bool {
	return litter(name) || unfitForWindows(name) == deviceName
}

// cache reports whether a file is one that a file manager makes for itself.
func cache(name string) bool {
	return name == ".DS_Store" || strings.EqualFold(name, "Thumbs.db") || strings.EqualFold(name, "desktop.ini")
}

const deviceName = "is a device name"

// unfitForWindows says why Windows cannot hold a name, "" when it can.
func unfitForWindows(name string) string {
	if name == "" {
		return ""
	}
	if strings.ContainsAny(name, `<>:"|?*\`) {
		return `has one of < > : " | ? * \`
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return "has a control character"
	}
	if last := name[len(name)-1]; last == '.' || last == ' ' {
		return "ends with a dot or a blank"
	}
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	base = strings.TrimRight(base, " ")
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return deviceName
	}
	if strings.HasPrefix(base, "COM") || strings.HasPrefix(base, "LPT") {
		// Superscript digits count too.
		if n := []rune(base[3:]); len(n) == 1 && strings.ContainsRune("123456789¹²³", n[0]) {
			return deviceName
		}
	}
	return ""
}
