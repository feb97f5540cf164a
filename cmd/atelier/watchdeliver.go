package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/regularfile"
)

// delivery writes the results of a document below a folder. A file that is there with a
// content that an earlier delivery did not write stays: the result gets a number. The
// record is written before the files, so that after a kill what was written already is
// known as such.
type delivery struct {
	out, record, stage string

	known map[string][]string // for each file, the SHA-256 of contents that were written there
	files []staged
}

// staged is a result that waits to be written.
type staged struct{ path, to, hash string }

func (d *delivery) begin() error {
	d.known = map[string][]string{}
	b, err := os.ReadFile(d.record)
	if err == nil {
		err = json.Unmarshal(b, &d.known)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be used (%w); move it away to begin anew", d.record, err)
	}
	return errors.Join(os.RemoveAll(d.stage), os.MkdirAll(d.stage, 0o700))
}

// add makes a result with make and keeps it for finish; to is below out.
func (d *delivery) add(to string, make func(staged string) error) error {
	path := filepath.Join(d.stage, strconv.Itoa(len(d.files)))
	if err := make(path); err != nil {
		return err
	}
	hash, err := hashOf(path)
	if err != nil {
		return err
	}
	if to, err = d.free(to, hash); err == nil {
		d.files = append(d.files, staged{path, to, hash})
	}
	return err
}

// free is to, with a number if another file is there.
func (d *delivery) free(to, hash string) (string, error) {
	ext := filepath.Ext(to)
	stem := strings.TrimSuffix(to, ext)
	for n := 2; ; n++ {
		taken := slices.ContainsFunc(d.files, func(s staged) bool { return s.to == to })
		there, err := hashOf(filepath.Join(d.out, to))
		switch {
		case errors.Is(err, fs.ErrNotExist) && !taken:
			return to, nil
		case err != nil && !taken:
			return "", err
		case !taken && (there == hash || slices.Contains(d.known[to], there)):
			return to, nil
		case n > 1000:
			return "", fmt.Errorf("%s and the names with a number are taken", to)
		}
		to = fmt.Sprintf("%s (%d)%s", stem, n, ext)
	}
}

// finish writes the results and returns their paths below out.
func (d *delivery) finish() (paths []string, err error) {
	if err := os.MkdirAll(filepath.Dir(d.record), 0o755); err != nil {
		return nil, err
	}
	last := map[string][]string{}
	for _, s := range d.files {
		d.known[s.to] = append(d.known[s.to], s.hash)
		last[s.to] = []string{s.hash}
	}
	if err := d.save(d.known); err != nil {
		return nil, err
	}
	for _, s := range d.files {
		if err := d.write(s); err != nil {
			return paths, err
		}
		paths = append(paths, filepath.ToSlash(s.to))
	}
	return paths, d.save(last)
}

func (d *delivery) save(known map[string][]string) error {
	b, err := json.Marshal(known)
	if err != nil {
		return err
	}
	return writeOutBytes(d.record, forOwner, b)
}

func (d *delivery) write(s staged) error {
	to := filepath.Join(d.out, s.to)
	if there, err := hashOf(to); err == nil && there == s.hash {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeOut(to, forAll, func(out io.Writer) error {
		_, err := io.Copy(out, in)
		return err
	})
}

// hashOf is the SHA-256 of a file.
func hashOf(path string) (string, error) {
	f, err := regularfile.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
