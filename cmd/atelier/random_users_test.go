//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"atelier/workshop"
)

// TestRandomUsers: several simulated users use all functions of an app, in
// any order, while models answer anything and the program is sometimes
// killed. After each step the files, the conversation, the notifications, the
// requests to the endpoint and the sums are correct (I-07, I-20…I-25, K-01,
// K-06, W-14, W-17, W-19, W-22, W-52, W-54).
//
// ATELIER_RANDOM_USERS=20m runs that long, ATELIER_RANDOM_USERS_SEED=7 starts with that
// seed.
func TestRandomUsers(t *testing.T) {
	seed, until, most := uint64(1), time.Time{}, 1
	if s := os.Getenv("ATELIER_RANDOM_USERS_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed, most = n, 1
	}
	if s := os.Getenv("ATELIER_RANDOM_USERS"); s != "" {
		long, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		until = time.Now().Add(long)
	}
	path := program(t)
	for n := uint64(0); n < uint64(most) || time.Now().Before(until); n++ {
		f := &simGroup{path: path, rng: rand.New(rand.NewPCG(seed+n, 1)), seed: seed + n, lives: 5, steps: 12}
		if until.IsZero() { // a short sample; long runs need a separate machine
			f.lives, f.steps = 2, 6
		}
		dir, err := os.MkdirTemp(t.TempDir(), "users")
		if err != nil {
			t.Fatal(err)
		}
		if err := f.work(dir); err != nil {
			t.Fatalf("seed %d: %v", seed+n, err)
		}
		if os.Getenv("ATELIER_RANDOM_USERS") != "" {
			fmt.Fprintf(os.Stderr, "seed %d: %s\n", seed+n, f.report())
		}
		os.RemoveAll(dir)
	}
}

// simGroup is the users of one seed.
type simGroup struct {
	path         string
	rng          *rand.Rand
	seed         uint64
	lives, steps int
	users        []*simUser
	e            *simEndpoint

	memory, goroutines, kills int
}

func (f *simGroup) report() string {
	requests, runs := 0, 0
	for _, d := range f.users {
		requests += len(d.model.sent)
		runs += d.model.run
	}
	return fmt.Sprintf("%d runs, %d requests, %d kills, at most %d MiB, %d goroutines at rest", runs, requests, f.kills, f.memory, f.goroutines)
}

// Limits of one program with three users.
const (
	simMemory     = 700 // MiB
	simGoroutines = 80
)

func (f *simGroup) work(dir string) error {
	f.e = newSimEndpoint()
	defer f.e.Close()
	defer close(f.e.end)
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	config := fmt.Sprintf(`{"models":[{"model":"user*-tiny","window":%d},{"model":"user*-wide","window":60000}]}`, simWindow)
	if err := os.WriteFile(filepath.Join(home, "config.json"), []byte(config), 0o600); err != nil {
		return err
	}
	for i := range 3 {
		name := fmt.Sprintf("user%d", i)
		d := &simUser{name: name, rng: rand.New(rand.NewPCG(f.seed, uint64(i)+100)), e: f.e, model: f.e.user(name, f.seed*10+uint64(i)),
			host: filepath.Join(dir, name+"-host"), files: &simFiles{map[string]string{}, map[string]*string{}, map[string]string{}},
			at: map[string]*simFiles{}, said: map[string]string{}, checkpoints: map[string]map[string]string{}}
		if err := os.MkdirAll(d.host, 0o755); err != nil {
			return err
		}
		if i > 0 {
			d.root = filepath.Join(dir, name+"-work")
			if err := errors.Join(os.MkdirAll(d.root, 0o755), os.WriteFile(filepath.Join(d.root, "mine.txt"), []byte("Mine M0.\n"), 0o644)); err != nil {
				return err
			}
			d.files.disk["mine.txt"] = "Mine M0.\n"
		}
		f.users = append(f.users, d)
	}
	for life := range f.lives {
		if err := f.live(home, life == f.lives-1); err != nil {
			return err
		}
	}
	if err := f.verified(home); err != nil {
		return err
	}
	return f.leftovers(dir)
}

// verified checks the databases and every object that they refer to.
func (f *simGroup) verified(home string) error {
	h, err := workshop.OpenHome(home, workshop.Options{})
	if err != nil {
		return err
	}
	defer h.Close()
	for _, d := range f.users {
		wb, err := h.Open(context.Background(), d.id)
		if err != nil {
			return err
		}
		v, err := wb.Verify(context.Background())
		if err == nil && len(v.Problems) > 0 {
			err = fmt.Errorf("%s", strings.Join(v.Problems, "; "))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return nil
}

// live runs one process of the program. The last one ends by itself.
func (f *simGroup) live(home string, last bool) error {
	app, err := startSimApp(f.path, home, f.e.URL)
	if err != nil {
		return err
	}
	defer app.kill()
	how := []string{"killed", "killed", "closed", "dumped"}[f.rng.IntN(4)]
	if last {
		how = "dumped"
	}
	if how == "killed" {
		timer := time.AfterFunc(time.Duration(100+f.rng.IntN(4000))*time.Millisecond, func() { app.cmd.Process.Kill() })
		defer timer.Stop()
	}
	errs := make([]error, len(f.users))
	var wg sync.WaitGroup
	for i, d := range f.users {
		wg.Go(func() { errs[i] = d.shift(app, f.steps) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		var last strings.Builder
		for _, d := range f.users {
			fmt.Fprintf(&last, "last of %s:\n  %s\n", d.name, strings.Join(d.history[max(0, len(d.history)-25):], "\n  "))
		}
		return fmt.Errorf("%w\n%sstderr: %s", err, last.String(), tail(app.stderr.String(), 6000))
	}
	f.memory = max(f.memory, app.rss())
	if f.memory > simMemory {
		return fmt.Errorf("the program has %d MiB", f.memory)
	}
	ended := false
	select {
	case <-app.gone:
		ended = true
	default:
	}
	switch {
	case how == "killed":
		f.kills++
		app.kill()
	case ended:
		return fmt.Errorf("the program ended by itself: %s", tail(app.stderr.String(), 20000))
	case how == "closed":
		app.in.Close()
		select {
		case <-app.gone:
		case <-time.After(simPatience):
			return errors.New("the program does not end with its input")
		}
		if err := app.cmd.Wait(); err != nil {
			return fmt.Errorf("the end of the program: %w: %s", err, tail(app.stderr.String(), 6000))
		}
	case how == "dumped":
		time.Sleep(300 * time.Millisecond)
		before := app.stderr.String()
		app.cmd.Process.Signal(syscall.SIGQUIT)
		<-app.gone
		app.cmd.Wait()
		dump := strings.TrimPrefix(app.stderr.String(), before)
		f.goroutines = max(f.goroutines, strings.Count(dump, "\ngoroutine "))
		if f.goroutines > simGoroutines {
			return fmt.Errorf("%d goroutines at rest\n%s", f.goroutines, dump)
		}
		if err := complaints(before); err != nil {
			return err
		}
		return nil
	}
	return complaints(app.stderr.String())
}

// complaints returns messages that the program should never print.
func complaints(stderr string) error {
	for _, word := range []string{"panic", "level=ERROR", "DATA RACE"} {
		if strings.Contains(stderr, word) {
			return fmt.Errorf("it complains: %s", tail(stderr, 20000))
		}
	}
	return nil
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// leftovers searches for temporary files.
func (f *simGroup) leftovers(dir string) error {
	return filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && (strings.HasPrefix(e.Name(), ".atelier-tmp-") || strings.HasPrefix(e.Name(), "tmp-") || strings.HasPrefix(e.Name(), "trash-") || strings.HasSuffix(e.Name(), ".tmp")) {
			err = fmt.Errorf("a temporary file is left: %s", path)
		}
		return err
	})
}
