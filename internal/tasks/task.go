package tasks

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// Task is something that a person wants done with documents.
type Task struct {
	Name   string // of the file, without .txtar
	About  string
	Kind   string
	Waits  string // what is missing; "" if it can be done
	Prompt string
	Setup  []Step
	Script []Step
	// Wrong are scripts by what is wrong with them: the checks refuse what they make.
	Wrong map[string][]Step

	files   map[string][]byte
	copies  [][2]string // name in the folder, source
	checks  []check
	results string
	archive *txtar.Archive
}

// Step is a call of the scripted model, or what it says.
type Step struct {
	Tool      string // "" for words
	Arguments string // JSON
	Text      string
	Together  bool // in the same answer as the step before
}

// Load reads the tasks of a folder, in the order of their names.
func Load(dir string) ([]*Task, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("there are no tasks (*.txtar) in %s", dir)
	}
	slices.Sort(paths)
	var list []*Task
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		t, err := Parse(strings.TrimSuffix(filepath.Base(p), ".txtar"), b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		list = append(list, t)
	}
	return list, nil
}

// Parse reads one task.
func Parse(name string, file []byte) (*Task, error) {
	a := txtar.Parse(file)
	t := &Task{Name: name, About: strings.TrimSpace(string(a.Comment)), files: map[string][]byte{}, archive: a}
	for _, f := range a.Files {
		if err := t.section(f); err != nil {
			return nil, fmt.Errorf("section %s: %w", f.Name, err)
		}
	}
	switch {
	case t.Kind == "":
		return nil, errors.New(`the section task must say "kind: …"`)
	case t.Prompt == "":
		return nil, errors.New("the section prompt is missing")
	case len(t.checks) == 0:
		return nil, errors.New("the section check is missing")
	case t.Waits == "" && len(t.Script) == 0:
		return nil, errors.New("the section script is missing; a task that cannot be done yet says \"waits: …\"")
	}
	return t, nil
}

func (t *Task) section(f txtar.File) (err error) {
	text := string(f.Data)
	folder, name, _ := strings.Cut(f.Name, "/")
	switch folder {
	case "task":
		for _, l := range lines(text) {
			key, value, _ := strings.Cut(l, ":")
			switch value = strings.TrimSpace(value); key {
			case "kind":
				t.Kind = value
			case "waits":
				t.Waits = value
			default:
				return fmt.Errorf("%q is neither kind nor waits", key)
			}
		}
	case "prompt":
		t.Prompt = strings.TrimSpace(text)
	case "files":
		return t.file(name, f.Data)
	case "many":
		return t.many(name, text)
	case "copy":
		for _, l := range lines(text) {
			to, from, ok := strings.Cut(l, " ")
			if !ok || !fs.ValidPath(to) {
				return fmt.Errorf("%q is not \"NAME SOURCE\"", l)
			}
			t.copies = append(t.copies, [2]string{to, strings.TrimSpace(from)})
		}
	case "setup":
		t.Setup, err = steps(text)
	case "script":
		t.Script, err = steps(text)
	case "wrong":
		if t.Wrong == nil {
			t.Wrong = map[string][]Step{}
		}
		t.Wrong[name], err = steps(text)
	case "check":
		t.checks, err = parseChecks(text)
	case "results":
		t.results = text
	default:
		return errors.New("no such section")
	}
	return err
}

func (t *Task) file(name string, data []byte) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("%q is no path inside the folder", name)
	}
	t.files[name] = data
	return nil
}

func (t *Task) many(pattern, text string) error {
	first, text, _ := strings.Cut(text, "\n")
	n, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || n < 1 || n > 10000 || !strings.Contains(pattern, "*") {
		return errors.New("want a * in the name and a number from 1 to 10000 in the first line")
	}
	for i := 1; i <= n; i++ {
		s := strconv.Itoa(i)
		if err := t.file(strings.ReplaceAll(pattern, "*", s), []byte(strings.ReplaceAll(text, "${n}", s))); err != nil {
			return err
		}
	}
	return nil
}

// lines are those with something in them, without comments.
func lines(text string) (list []string) {
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		if l := strings.TrimSpace(sc.Text()); l != "" && l[0] != '#' {
			list = append(list, l)
		}
	}
	return list
}

func steps(text string) (list []Step, err error) {
	for _, l := range lines(text) {
		var s Step
		if l[0] == '&' {
			s.Together, l = true, strings.TrimSpace(l[1:])
		}
		name, rest, _ := strings.Cut(l, " ")
		if rest = strings.TrimSpace(rest); name == "say" {
			s.Text = rest
		} else if s.Tool, s.Arguments = name, rest; !strings.HasPrefix(rest, "{") {
			return nil, fmt.Errorf("%.40q is neither \"say TEXT\" nor \"TOOL {ARGUMENTS}\"", l)
		}
		list = append(list, s)
	}
	return list, nil
}

// NeedsOffice says whether calls of the script are answered with what LibreOffice
// makes: pages it draws, documents it converts, values it calculates.
func (t *Task) NeedsOffice() bool {
	return slices.ContainsFunc(t.Script, func(s Step) bool {
		switch s.Tool {
		case "render":
			return true
		case "convert":
			return !converts.MatchString(s.Arguments)
		}
		return strings.Contains(s.Arguments, `"op":"recalculate"`)
	})
}

// converts are the arguments of conversions that need no other program.
var converts = regexp.MustCompile(`"format":"csv"|\.(md|markdown|txt)".*"format":"docx"|\.csv".*"format":"xlsx"`)

// WithResults is the file of the task with other results.
func (t *Task) WithResults(results string) []byte {
	a := &txtar.Archive{Comment: t.archive.Comment}
	for _, f := range t.archive.Files {
		if f.Name != "results" {
			a.Files = append(a.Files, f)
		}
	}
	if results != "" {
		a.Files = append(a.Files, txtar.File{Name: "results", Data: []byte(results)})
	}
	return txtar.Format(a)
}

// Results are the recorded results of the calls of the script.
func (t *Task) Results() string { return t.results }
