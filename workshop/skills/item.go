package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"atelier/internal/textclip"
	"atelier/internal/textsafe"
	"atelier/workshop"
)

// Where instructions come from.
const (
	FromProgram = "program"
	FromUser    = "user"   // the data folder
	FromFolder  = "folder" // .atelier/skills, and AGENTS.md
)

// What becomes of instructions.
const (
	Used     = "used"
	New      = "new"      // of a folder, and the user has not decided
	Changed  = "changed"  // since the user decided
	Declined = "declined" // by the user
	Hidden   = "hidden"   // another skill of the same name is used
	Refused  = "refused"  // it cannot be used, see Why
)

const skillFile = "SKILL.md"

// Item is a skill, or the AGENTS.md of a folder. Its content is in memory, so that
// what is used is what was approved.
type Item struct {
	Name        string // of the skill's folder, or AGENTS.md
	Source      string // FromProgram, FromUser or FromFolder
	Path        string // of its SKILL.md or AGENTS.md in the folder; "" for those of no folder
	Description string // one line, at most 120 characters
	Hash        string // SHA-256 in hex over the names and contents of all files
	Size        int    // bytes of all files
	Status      string // Used, New, Changed, Declined, Hidden or Refused
	Why         string // of Hidden and Refused
	files       []file
}

type file struct {
	name string // with slashes
	data []byte
}

// newItem makes an item of files that are sorted by name.
func newItem(name, source string, files []file) Item {
	it := Item{Name: name, Source: source, Status: Used, files: files}
	sum := sha256.New()
	for _, f := range files {
		fmt.Fprintf(sum, "%d:%s%d:", len(f.name), f.name, len(f.data))
		sum.Write(f.data)
		it.Size += len(f.data)
	}
	it.Hash = hex.EncodeToString(sum.Sum(nil))
	it.Description = describe(it.Text())
	return it
}

// IsSkill is false for AGENTS.md.
func (it Item) IsSkill() bool { return it.Name != workshop.AgentsFile }

// Text returns the instructions themselves, without the skill's other files.
func (it Item) Text() string {
	for _, f := range it.files {
		if f.name == skillFile || !it.IsSkill() {
			return text(f.data)
		}
	}
	return ""
}

func text(b []byte) string { return strings.TrimPrefix(string(b), "\ufeff") }

// Shown returns all files for a person who decides about them, with characters that
// cannot be seen spelled out; of each at most so many characters, 0 for all.
func (it Item) Shown(most int) string {
	var sb strings.Builder
	for i, f := range it.files {
		if len(it.files) > 1 {
			if i > 0 {
				sb.WriteString("\n")
			}
			fmt.Fprintf(&sb, "== %s (%d bytes)\n", textsafe.Text(f.name), len(f.data))
		}
		if !utf8.Valid(f.data) {
			sb.WriteString("(not text; models cannot read it)\n")
			continue
		}
		lines := strings.Split(strings.TrimRight(text(f.data), "\n"), "\n")
		for i, l := range lines {
			lines[i] = textsafe.Text(l)
		}
		shown := strings.Join(lines, "\n")
		if n := utf8.RuneCountInString(shown); most > 0 && n > most {
			shown = fmt.Sprintf("%s\n[%d of %d characters]", textclip.Head(shown, most), most, n)
		}
		sb.WriteString(shown + "\n")
	}
	return strings.TrimRight(sb.String(), "\n")
}

// Files calls f with the path in the folder and the content of each file.
func (it Item) Files(f func(path string, data []byte)) {
	dir := strings.TrimSuffix(it.Path, skillFile)
	for _, x := range it.files {
		if it.IsSkill() {
			f(dir+x.name, x.data)
		} else {
			f(it.Path, x.data)
		}
	}
}

// Decision returns what the user says about this content.
func (it Item) Decision(approved bool, at time.Time) Decision {
	return Decision{Path: it.Path, Hash: it.Hash, Approved: approved, At: at}
}

// Unused says in words why the item is not used; "" when it is.
func (it Item) Unused() string {
	switch it.Status {
	case New:
		return "it came with the folder, and the user has not approved its content"
	case Changed:
		return "its content has changed since the user decided about it"
	case Declined:
		return "the user has declined its content"
	case Used:
		return ""
	}
	return it.Why
}

// Bounds of front matter.
const (
	frontBytes       = 4 << 10
	describedInChars = 120
)

// describe returns the description of the front matter, else the first line with
// words. It reads "description" alone, on one line or indented below; nothing in
// front matter can refer to anything else.
func describe(s string) string {
	body := s
	if rest, ok := strings.CutPrefix(s, "---\n"); ok {
		front, after, closed := strings.Cut(rest[:min(len(rest), frontBytes)], "\n---")
		if closed {
			if d := frontLine(front); d != "" {
				return oneLine(d)
			}
			body = rest[len(rest[:min(len(rest), frontBytes)])-len(after):]
		}
	}
	for l := range strings.Lines(body[:min(len(body), frontBytes)]) {
		if l = strings.Trim(l, "#*-> \t\r\n"); l != "" {
			return oneLine(l)
		}
	}
	return ""
}

func frontLine(front string) string {
	lines := strings.Split(front, "\n")
	for i, l := range lines {
		v, ok := strings.CutPrefix(l, "description:")
		if !ok {
			continue
		}
		v = strings.TrimSpace(v)
		if strings.Trim(v, ">|+-") == "" {
			v = ""
			for _, more := range lines[i+1:] {
				if !strings.HasPrefix(more, " ") {
					break
				}
				v += " " + strings.TrimSpace(more)
			}
		}
		return strings.Trim(strings.TrimSpace(v), `"'`)
	}
	return ""
}

func oneLine(s string) string {
	return textclip.Fit(textsafe.Text(strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")), describedInChars)
}
