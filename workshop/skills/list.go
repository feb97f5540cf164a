package skills

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/workshop"
)

// maxAgents bounds AGENTS.md, in bytes.
const maxAgents = 256 << 10

// Source is where instructions are read from.
type Source struct {
	Workbench *workshop.Workbench
	Published workshop.View // where AGENTS.md is read: never from a draft
	Own       string        // the folder of the user's skills, which need no approval; "" for none
	// Keep says why a file of the folder must not be given to a model, "" when it
	// may; nil keeps none back.
	Keep func(p workshop.Path) string
}

// List is instructions: AGENTS.md first, then the skills of the user, of the folder
// and of the program, by name.
type List []Item

// Load reads all instructions and what the user has decided about them.
func Load(ctx context.Context, s Source) (List, error) {
	decisions, err := Decisions(ctx, s.Workbench)
	if err != nil {
		return nil, err
	}
	agents, err := agentsFile(ctx, s.Published)
	if err != nil {
		return nil, err
	}
	folder, err := ofFolder(ctx, s.Workbench)
	if err != nil {
		return nil, err
	}
	own, err := ofUser(ctx, s.Own)
	if err != nil {
		return nil, err
	}
	folder = append(agents, folder...)
	for i := range folder {
		it := &folder[i]
		if it.Status == Refused {
			continue
		}
		it.Status = decided(decisions, *it)
		if s.Keep == nil {
			continue
		}
		it.Files(func(p string, _ []byte) {
			if why := s.Keep(workshop.Path(p)); why != "" {
				it.Status, it.Why, it.Description, it.files = Refused, why, "", nil
			}
		})
	}
	list := append(folder[:len(agents):len(agents)], own...)
	list = append(append(list, folder[len(agents):]...), builtins()...)
	list.hide()
	return list, nil
}

// hide leaves of skills of the same name the first that is used: the user's own
// comes before the folder's, and that before the program's.
func (l List) hide() {
	first := map[string]int{}
	for i := range l {
		it := &l[i]
		if it.Status == Refused || !it.IsSkill() {
			continue
		}
		key := strings.ToLower(it.Name)
		j, ok := first[key]
		switch {
		case ok:
			by := map[string]string{FromUser: "the user's own skill", FromFolder: "the folder's skill"}[l[j].Source]
			it.Status, it.Why = Hidden, by+" of the same name is used"
		case it.Status == Used:
			first[key] = i
		}
	}
}

// FolderPaths returns the paths of the skills that a folder has, approved or not.
func FolderPaths(ctx context.Context, wb *workshop.Workbench) ([]string, error) {
	list, err := ofFolder(ctx, wb)
	var out []string
	for _, it := range list {
		if it.Path != "" {
			out = append(out, it.Path)
		}
	}
	return out, err
}

func ofFolder(ctx context.Context, wb *workshop.Workbench) (List, error) {
	root, err := wb.OpenSkills()
	if workshop.IsFault(err, workshop.Sandbox) {
		return List{refused("skills", FromFolder, workshop.AsFault(err).Message)}, nil
	}
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close()
	list, err := readDir(ctx, root, FromFolder)
	for i := range list {
		if len(list[i].files) > 0 {
			list[i].Path = path.Join(workshop.SkillsDir, list[i].Name, skillFile)
		}
	}
	return list, err
}

func ofUser(ctx context.Context, dir string) (List, error) {
	if dir == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return List{refused("skills", FromUser, "the folder of the user's skills cannot be opened")}, nil
	}
	defer root.Close()
	return readDir(ctx, root, FromUser)
}

// agentsFile reads the published AGENTS.md of the root; none when there is none.
func agentsFile(ctx context.Context, v workshop.View) (List, error) {
	no := func(why string) (List, error) {
		return List{refused(workshop.AgentsFile, FromFolder, why)}, nil
	}
	src, err := v.Open(ctx, workshop.AgentsFile)
	switch {
	case workshop.IsFault(err, workshop.NotFound):
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return no(workshop.AsFault(err).Message)
	}
	defer src.Close()
	if src.Size() > maxAgents {
		return no(fmt.Sprintf("it has more than %d KiB", maxAgents>>10))
	}
	b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	switch {
	case err != nil:
		return no("it cannot be read")
	case !utf8.Valid(b) || slices.Contains(b, 0):
		return no("it is not UTF-8 text")
	}
	it := newItem(workshop.AgentsFile, FromFolder, []file{{workshop.AgentsFile, b}})
	it.Path = workshop.AgentsFile
	return List{it}, nil
}

// Agents returns the AGENTS.md that is used.
func (l List) Agents() (Item, bool) {
	for _, it := range l {
		if !it.IsSkill() && it.Status == Used {
			return it, true
		}
	}
	return Item{}, false
}

// Undecided returns what the user has to be asked about.
func (l List) Undecided() (out List) {
	for _, it := range l {
		if it.Status == New || it.Status == Changed {
			out = append(out, it)
		}
	}
	return out
}

// Unused returns what came with the folder or from the user and is not used, other
// than what another skill of the user takes the place of.
func (l List) Unused() (out List) {
	for _, it := range l {
		if it.Source != FromProgram && it.Status != Used {
			out = append(out, it)
		}
	}
	return out
}

// Skills returns the skills that are used; besides says without those of the program.
func (l List) Skills(besides bool) (out List) {
	for _, it := range l {
		if it.IsSkill() && it.Status == Used && !(besides && it.Source == FromProgram) {
			out = append(out, it)
		}
	}
	return out
}

// Approve has an item of the list used from now on, or not.
func (l List) Approve(p string, approved bool) {
	for i := range l {
		if l[i].Path == p {
			l[i].Status = map[bool]string{true: Used, false: Declined}[approved]
		}
	}
	l.hide()
}

// Read returns the text of a skill, or of one of its files with NAME/FILE, and the
// path of the skill in the folder, "" for one of no folder. A NotFound fault names
// those there are. A nil list is that of the program.
func (l List) Read(name string) (text, from string, err error) {
	if l == nil {
		l = builtins()
	}
	name = strings.TrimSpace(name)
	skill, inside, _ := strings.Cut(name, "/")
	var names []string
	for _, it := range l.Skills(false) {
		names = append(names, it.Name)
		if strings.EqualFold(it.Name, skill) {
			text, err = it.read(inside)
			return text, it.Path, err
		}
	}
	for _, it := range l.Unused() {
		if it.Name == skill && it.IsSkill() {
			return "", "", workshop.Faultf(workshop.Forbidden, "the skill %s is not used: %s", skill, it.Unused()).OnField("name")
		}
	}
	slices.Sort(names)
	return "", "", workshop.Unknownf("there is no such skill; there are %s", strings.Join(names, ", ")).OnField("name")
}

// read returns a file of the skill; "" is its SKILL.md, with the names of the others.
func (it Item) read(inside string) (string, error) {
	var others []string
	for _, f := range it.files {
		if f.name == inside {
			if !utf8.Valid(f.data) {
				return "", workshop.Faultf(workshop.Invalid, "%s of the skill %s is not text", inside, it.Name).OnField("name")
			}
			return string(f.data), nil
		}
		if f.name != skillFile {
			others = append(others, it.Name+"/"+f.name)
		}
	}
	has := "the skill has no other files"
	if len(others) > 0 {
		has = "it has " + strings.Join(others, ", ")
	}
	if inside != "" {
		return "", workshop.Unknownf("the skill %s has no file %s; %s", it.Name, inside, has).OnField("name")
	}
	out := it.Text()
	if len(others) > 0 {
		out = strings.TrimRight(out, "\n") + "\n\n[other files of this skill, for read_skill: " + strings.Join(others, ", ") + "]\n"
	}
	return out, nil
}
