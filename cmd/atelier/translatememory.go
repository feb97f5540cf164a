package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"atelier/workshop/translate/memory"
)

// openMemory opens the job's translation memory with --tmx read into it. A dry
// run works on a copy, since it writes nothing. done ends its use.
func (f *translateFlags) openMemory(ctx context.Context) (m *memory.Memory, done func(), err error) {
	path := f.memory
	if path == "" {
		path = filepath.Join(f.out, ".atelier", "memory.db")
	}
	done = func() {}
	if f.dryRun {
		dir, err := os.MkdirTemp("", "atelier-dry-*")
		if err != nil {
			return nil, done, err
		}
		done = func() { os.RemoveAll(dir) }
		scratch := filepath.Join(dir, "memory.db")
		if _, err := os.Stat(path); err == nil {
			if err := copyMemory(ctx, path, scratch); err != nil {
				done()
				return nil, func() {}, err
			}
		}
		path = scratch
	} else if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, done, fmt.Errorf("the folder of the translation memory cannot be made: %w", err)
	}
	clean := done
	if m, err = memory.Open(ctx, path); err != nil {
		clean()
		return nil, func() {}, err
	}
	done = func() { m.Close(); clean() }
	for _, name := range f.tmx {
		if err := readTMX(ctx, m, name); err != nil {
			done()
			return nil, func() {}, err
		}
	}
	return m, done, nil
}

func readTMX(ctx context.Context, m *memory.Memory, name string) error {
	in, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("--tmx: %w", err)
	}
	defer in.Close()
	if _, err := m.ImportTMX(ctx, in); err != nil {
		return fmt.Errorf("--tmx %s: %w", name, err)
	}
	return nil
}

func copyMemory(ctx context.Context, from, to string) error {
	old, err := memory.Open(ctx, from)
	if err != nil {
		return err
	}
	defer old.Close()
	fresh, err := memory.Open(ctx, to)
	if err != nil {
		return err
	}
	defer fresh.Close()
	r, w := io.Pipe()
	go func() {
		_, err := old.ExportTMX(ctx, w, memory.ExportOptions{Machine: true})
		w.CloseWithError(err)
	}()
	_, err = fresh.ImportTMX(ctx, r)
	r.CloseWithError(err)
	return err
}

// exportTMX writes what the memory has for the job's languages, the machine's
// translations too.
func (f *translateFlags) exportTMX(ctx context.Context, m *memory.Memory) error {
	if f.tmxOut == "" || f.dryRun {
		return nil
	}
	return writeOut(f.tmxOut, forAll, func(w io.Writer) error {
		_, err := m.ExportTMX(ctx, w, memory.ExportOptions{Machine: true})
		return err
	})
}
