package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"atelier/formats"
	"atelier/internal/busyfile"
)

// collect lists the documents under paths. A file named by itself is always
// taken, with its path below root if root is set and it is there; of a folder those
// that can be translated, its structure kept.
func collect(paths []string, root, out string) ([]Document, error) {
	outAbs, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	var ins []Document
	for _, p := range paths {
		st, err := os.Stat(p)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", p, err)
		}
		if !st.IsDir() {
			ins = append(ins, Document{p, placeBelow(root, p), st.Size()})
			continue
		}
		more, err := collectFolder(p, outAbs)
		if err != nil {
			return nil, err
		}
		ins = append(ins, more...)
	}
	return distinct(ins)
}

// placeBelow is the '/'-separated path of a file below root, or its name if root is
// "" or the file is elsewhere.
func placeBelow(root, path string) string {
	if root != "" {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.Base(path)
}

// collectFolder returns the documents below a folder, without those of the output
// folder and of hidden folders.
func collectFolder(root, outAbs string) (ins []Document, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || OutputFolder(path, outAbs)) {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() || !Wanted(d.Name()) {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return nil // gone meanwhile
		}
		ins = append(ins, Document{path, filepath.ToSlash(rel), st.Size()})
		return nil
	})
	return ins, err
}

// OutputFolder reports whether a folder is out, the output folder of a job as an
// absolute path, or the output folder of another job.
func OutputFolder(path, out string) bool {
	if abs, err := filepath.Abs(path); err == nil && abs == out {
		return true
	}
	return exists(filepath.Join(path, filepath.FromSlash(LedgerName)))
}

// Wanted reports whether translating a folder includes a file with this name.
func Wanted(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") {
		return false
	}
	return formats.TypeOfName(name).InFolders
}

// distinct drops what is named twice and refuses two inputs that would write
// one output.
func distinct(ins []Document) ([]Document, error) {
	seen := map[string]string{}
	var out []Document
	for _, in := range ins {
		abs, err := filepath.Abs(in.Path)
		if err != nil {
			return nil, err
		}
		other, ok := seen[in.Rel]
		switch {
		case ok && other == abs:
			continue
		case ok:
			return nil, fmt.Errorf("%s and %s would both be written to %s; translate them into different folders", other, in.Path, in.Rel)
		}
		seen[in.Rel] = abs
		out = append(out, in)
	}
	return out, nil
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
// ready is told its hash before it takes its place.
// What is unfinished is in the folder tmp, of the same file system.
func writeAtomic(tmp, path string, write func(io.Writer) error, ready func(hash string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(tmp, "*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once renamed, as it should
	h := sha256.New()
	err = write(io.MultiWriter(f, h))
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = ready(hex.EncodeToString(h.Sum(nil)))
	}
	if err != nil {
		return err
	}
	return busyfile.Rename(f.Name(), path)
}
