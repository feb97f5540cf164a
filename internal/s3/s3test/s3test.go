// Package s3test runs a store with the API of S3 for tests: the program of the module
// versitygw, which keeps a bucket in a folder. It is no module of Atelier's; the first test
// builds it into the user's cache. A test can kill and restart it, and look at its objects.
//
//	s := s3test.Start(t, "documents")
//	c, err := s3.New(s.Config("documents"))
//	s.Kill()
//	s.Restart()
package s3test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/internal/s3"
	"atelier/internal/testport"
)

// module is the program and its version.
const module, version = "github.com/versity/versitygw/cmd/versitygw", "v1.8.0"

// The keys of the store.
const (
	Key    = "AKIATESTTESTTESTTEST"
	Secret = "c2VjcmV0LW9mLXRoZS1zdG9yZQ/+secret"
)

// build builds the store into the user's cache, once for each version.
var build = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "atelier-tests")
	path := filepath.Join(cache, "versitygw-"+version)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(cache, "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "install", module+"@"+version)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOBIN="+dir, "CGO_ENABLED=0", "GOFLAGS=-p=2", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, os.Rename(filepath.Join(dir, "versitygw"), path)
})

// Store is a running store.
type Store struct {
	t      testing.TB
	dir    string // of the buckets
	meta   string // of what the store notes of objects
	port   int
	cmd    *exec.Cmd
	exited chan struct{}
}

// Start starts a store with buckets, which ends with the test.
func Start(t testing.TB, buckets ...string) *Store {
	t.Helper()
	if _, err := build(); err != nil {
		t.Fatalf("the store cannot be built: %v", err)
	}
	s := &Store{t: t, dir: t.TempDir(), meta: t.TempDir(), port: testport.Reserve(t)}
	for _, b := range buckets {
		if err := os.Mkdir(s.Bucket(b), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.Restart()
	t.Cleanup(s.Kill)
	return s
}

// Addr is HOST:PORT of the store.
func (s *Store) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

// Config reaches a bucket.
func (s *Store) Config(bucket string) s3.Config {
	return s3.Config{Bucket: bucket, Endpoint: "http://" + s.Addr(), PathStyle: true, Key: Key, Secret: Secret}
}

// Env are the variables with the keys.
func (s *Store) Env() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + Key, "AWS_SECRET_ACCESS_KEY=" + Secret, "AWS_SESSION_TOKEN=", "AWS_REGION=us-east-1"}
}

// Bucket is the folder of a bucket, in which an object is a file with its name.
func (s *Store) Bucket(name string) string { return filepath.Join(s.dir, name) }

// Objects are the files of a bucket, without what the store keeps for itself.
func (s *Store) Objects(bucket string) (names []string) {
	s.t.Helper()
	root := s.Bucket(bucket)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch rel := strings.TrimPrefix(strings.TrimPrefix(path, root), "/"); {
		case err != nil:
			return nil // it was removed meanwhile
		case d.IsDir() && strings.HasPrefix(rel, ".sgwtmp"):
			return filepath.SkipDir
		case d.Type().IsRegular():
			names = append(names, rel)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return names
}

// Restart starts a store that was killed, with what it has on disk.
func (s *Store) Restart() {
	s.t.Helper()
	program, err := build()
	if err != nil {
		s.t.Fatal(err)
	}
	log, err := os.OpenFile(s.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	s.cmd = exec.Command(program, "--port", s.Addr(), "--access", Key, "--secret", Secret, "--quiet", "posix", "--sidecar", s.meta, s.dir)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	cmd, exited := s.cmd, make(chan struct{})
	s.exited = exited
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", s.Addr()); err == nil {
			conn.Close()
			return
		}
		if time.Now().After(end) {
			b, _ := os.ReadFile(s.log())
			s.t.Fatalf("the store does not answer: %s", b)
		}
	}
}

func (s *Store) log() string { return filepath.Join(s.meta, "log") }

// Kill kills the store (SIGKILL) and waits until it is gone.
func (s *Store) Kill() {
	_ = s.cmd.Process.Kill() // fails when it is gone
	<-s.exited
}
