package translate

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/formats"
)

// input is one document to translate.
type input struct {
	path string // of the host
	rel  string // below the output folder, '/'-separated
}

// translatable kinds; text covers txt, md and csv.
var translatable = []formats.Kind{formats.KindText, formats.KindXlsx, formats.KindDocx, formats.KindPptx}

// textExts are the text files that hold prose; source code and data formats
// are left alone when a folder is translated.
var textExts = []string{".txt", ".md", ".markdown", ".csv", ".tsv", ".html", ".htm", ".xhtml"}

// collect lists the documents under paths. A file named by itself is always
// taken; of a folder those that can be translated, its structure kept.
func collect(paths []string, out string) ([]input, error) {
	outAbs, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	var ins []input
	for _, p := range paths {
		st, err := os.Stat(p)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", p, err)
		}
		if !st.IsDir() {
			ins = append(ins, input{p, filepath.Base(p)})
			continue
		}
		err = filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if abs, _ := filepath.Abs(path); d.IsDir() && path != p && (abs == outAbs || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			if !d.Type().IsRegular() || !wanted(d.Name()) {
				return nil
			}
			rel, err := filepath.Rel(p, path)
			ins = append(ins, input{path, filepath.ToSlash(rel)})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return ins, distinct(ins)
}

func wanted(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") {
		return false
	}
	kind := formats.KindOfName(name)
	if kind == formats.KindText {
		return slices.Contains(textExts, strings.ToLower(filepath.Ext(name)))
	}
	return slices.Contains(translatable, kind)
}

// distinct refuses two inputs that would write one output.
func distinct(ins []input) error {
	seen := map[string]string{}
	for _, in := range ins {
		if other, ok := seen[in.rel]; ok {
			return fmt.Errorf("%s and %s would both be written to %s; translate them into different folders", other, in.path, in.rel)
		}
		seen[in.rel] = in.path
	}
	return nil
}

// sparesOriginals refuses outputs that would take an original's place.
func sparesOriginals(ins []input, outputs []string) error {
	for _, out := range outputs {
		there, err := os.Stat(out)
		if err != nil {
			continue // nothing is there to be replaced
		}
		for _, in := range ins {
			if st, err := os.Stat(in.path); err == nil && os.SameFile(st, there) {
				return fmt.Errorf("the translation would replace the original %s; choose another folder with --out", in.path)
			}
		}
	}
	return nil
}

// stateName is the file in the output folder that lets a second run skip what
// is done.
const stateName = ".atelier-translate.json"

// state remembers finished work by output path.
type state struct {
	Done map[string]doneFile `json:"done"`
}

type doneFile struct {
	Source  string `json:"source_sha256"`
	Output  string `json:"output_sha256"`
	Engine  string `json:"engine"`            // model and languages
	Flagged bool   `json:"flagged,omitempty"` // to be done again
}

// verdict is what an earlier run means for a file: skip it, or refuse to
// replace what is there. The zero verdict goes ahead.
func (s state) verdict(key, output, source, engine string) (skip bool, err error) {
	now := fileHash(output)
	if now == "" {
		return false, nil
	}
	done, ours := s.Done[key]
	switch {
	case !ours:
		return false, fmt.Errorf("%s is there already and was not written by a translation; choose another --out, or --force to replace it", output)
	case done.Source == source && done.Engine == engine && !done.Flagged:
		return true, nil // also when a person has corrected it since
	case done.Output != now:
		return false, fmt.Errorf("%s was changed since it was translated; move it away, or --force to replace it", output)
	}
	return false, nil
}

func loadState(out string) state {
	s := state{Done: map[string]doneFile{}}
	if b, err := os.ReadFile(filepath.Join(out, stateName)); err == nil {
		if json.Unmarshal(b, &s) != nil || s.Done == nil {
			s.Done = map[string]doneFile{} // unreadable: do everything again
		}
	}
	return s
}

func (s state) save(out string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return writeAtomic(filepath.Join(out, stateName), func(f *os.File) error { _, err := f.Write(b); return err })
}

// fileHash is the SHA-256 of a file, "" when it cannot be read.
func fileHash(path string) string {
	src, err := formats.OpenFile(path)
	if err != nil {
		return ""
	}
	defer src.Close()
	return src.Hash()
}

// writeAtomic makes path with what write produces: wholly, or not at all.
func writeAtomic(path string, write func(*os.File) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".atelier-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once renamed, as it should
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
