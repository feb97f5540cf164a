package formatstest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/campaign"
	"atelier/internal/need"
)

// Cache is the folder in which all tests keep the compiled PDF reader: making it
// takes seconds, and half a minute under the race detector.
var Cache = filepath.Join(os.TempDir(), "atelier-test-pdfium")

// ShareCache lets the data folder home use the compiled PDF reader of Cache.
func ShareCache(t testing.TB, home string) {
	t.Helper()
	require.NoError(t, LinkCache(home))
}

// LinkCache is ShareCache for set-ups without a test.
func LinkCache(home string) error {
	shared := filepath.Join(Cache, "pdfium")
	if err := errors.Join(os.MkdirAll(shared, 0o700), os.MkdirAll(filepath.Join(home, "cache"), 0o700)); err != nil {
		return err
	}
	return os.Symlink(shared, filepath.Join(home, "cache", "pdfium"))
}

// Root returns the folder of the repository.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		require.NotEqual(t, dir, up, "no go.mod above the test")
		dir = up
	}
}

// beside returns the folder named by the variable env, or shared/name next to
// the repository.
func beside(t testing.TB, env, name string) string {
	t.Helper()
	asksBeside(t)
	dir := os.Getenv(env)
	if dir == "" {
		dir = filepath.Join(Root(t), "..", "shared", name)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("%s is absent: set %s to its folder", name, env)
	}
	return dir
}

// CorpusFiles lists the real documents that match a pattern such as "*/*" below
// the corpus, sorted; none where there is no corpus (ATELIER_CORPUS).
func CorpusFiles(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(CorpusDir(t), pattern))
	require.NoError(t, err)
	return files
}

// CorpusDir is the folder of real documents, which may be absent.
func CorpusDir(t testing.TB) string {
	t.Helper()
	asksBeside(t)
	if dir := os.Getenv("ATELIER_CORPUS"); dir != "" {
		return dir
	}
	return filepath.Join(Root(t), "..", "shared", "corpus")
}

// asksBeside adds the package and the name of a test that asks for real documents or
// benchmark inputs to the file that ATELIER_ASKS_CORPUS names, a line "package name".
// Continuous integration runs these tests once more without the documents.
func asksBeside(t testing.TB) {
	t.Helper()
	path := os.Getenv("ATELIER_ASKS_CORPUS")
	if path == "" {
		return
	}
	dir, err := os.Getwd()
	require.NoError(t, err)
	dir, err = filepath.Rel(Root(t), dir)
	require.NoError(t, err)
	name, _, _ := strings.Cut(t.Name(), "/")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = fmt.Fprintf(f, "./%s %s\n", filepath.ToSlash(dir), name)
	require.NoError(t, errors.Join(err, f.Close()))
}

// Corpus lists the real documents of one kind ("docx", "xlsx", "pptx", "pdf"),
// sorted; it skips the test where there is no corpus (ATELIER_CORPUS).
func Corpus(t testing.TB, kind string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(beside(t, "ATELIER_CORPUS", "corpus"), kind, "*."+kind))
	require.NoError(t, err)
	require.NotEmpty(t, files, "the corpus has no %s", kind)
	sort.Strings(files)
	return files
}

// Sample lists some of the real documents of a kind, chosen by the seed: one in 24,
// in a large sample one in 3, with -short one in 9, in a full campaign all. It is for
// tests that do much with each.
func Sample(t testing.TB, kind string) []string {
	t.Helper()
	var files []string
	for i, path := range Corpus(t, kind) {
		if !campaign.Skips(t, i, 3) {
			files = append(files, path)
		}
	}
	return files
}

// Bench returns the path of a benchmark input (ATELIER_BENCH).
func Bench(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(beside(t, "ATELIER_BENCH", "bench"), name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the benchmark input %s is absent: set ATELIER_BENCH to the folder that has it", name)
	}
	return path
}

// validator builds the validator's helper outside its folder, which may be
// read-only, once per process.
var validator = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ooxmlval")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "ooxmlval")
	cmd := exec.Command("go", "build", "-o", bin, ".")
	cmd.Dir = filepath.Join(validateDir, "src")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &exec.Error{Name: string(out), Err: err}
	}
	return bin, nil
})

var validateDir string
var validateOnce sync.Once

// ValidateErrors returns the schema and package errors of the file produced
// that original ("" for none) does not already have, one a line; "" when clean.
// It skips the test where the validator (ATELIER_VALIDATE) or xmllint is
// absent.
func ValidateErrors(t testing.TB, produced, original string) string {
	t.Helper()
	need.Program(t, "xmllint", "libxml2-utils")
	dir := beside(t, "ATELIER_VALIDATE", "validate")
	validateOnce.Do(func() { validateDir = dir })
	bin, err := validator()
	require.NoError(t, err, "building the validator")
	found := validate(t, bin, dir, produced)
	if len(found) == 0 || original == "" {
		return strings.Join(found, "\n")
	}
	had, known := originals.Load(original)
	if !known {
		had = validate(t, bin, dir, original)
		originals.Store(original, had)
	}
	return strings.Join(newFindings(found, had.([]string)), "\n")
}

// validations counts the files that were to be validated.
var validations atomic.Uint64

// originals has the findings of files that others were made of, by path.
var originals sync.Map

// validate returns the findings in one file, a line each: "E rule part: message".
func validate(t testing.TB, bin, dir, file string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "-schemas", filepath.Join(dir, "schemas"), file)
	var out, messages strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := cmd.Run()
	found := strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' })
	if err != nil && len(found) == 0 {
		t.Fatalf("the validator failed on %s: %v: %s", file, err, messages.String())
	}
	return found
}

// newFindings returns those of found that are not in had, in whichever part.
func newFindings(found, had []string) []string {
	kind := func(line string) string {
		head, message, _ := strings.Cut(line, ": ")
		rule, _, _ := strings.Cut(strings.TrimPrefix(head, "E "), " ")
		return rule + "|" + message
	}
	old := map[string]bool{}
	for _, line := range had {
		old[kind(line)] = true
	}
	return slices.DeleteFunc(slices.Clone(found), func(line string) bool { return old[kind(line)] })
}

// Validate fails the test on a schema error that original lacks. Validating takes
// most of the time of tests that edit documents, so a run with small samples does it
// for one file in three, and for one in nine of those that were made of another.
func Validate(t testing.TB, produced, original string) {
	t.Helper()
	every := uint64(3)
	if original != "" {
		every = 9
	}
	if campaign.Small() && validations.Add(1)%every != campaign.Seed()%every {
		return
	}
	require.Empty(t, ValidateErrors(t, produced, original), "%s is not valid", filepath.Base(produced))
}

// Report logs a line of figures and adds it to the file that ATELIER_REPORT
// names, so that a run over real documents can be summed up where logs of tests
// that pass are not shown.
func Report(t testing.TB, format string, args ...any) {
	t.Helper()
	t.Logf(format, args...)
	path := os.Getenv("ATELIER_REPORT")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	defer f.Close()
	_, err = fmt.Fprintf(f, format+"\n", args...)
	require.NoError(t, err)
}

// Parts reads every entry of a zip file.
func Parts(t testing.TB, file []byte) map[string][]byte {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	parts := map[string][]byte{}
	for _, f := range zr.File {
		r, err := f.Open()
		require.NoError(t, err)
		parts[f.Name], err = io.ReadAll(r)
		require.NoError(t, err)
		r.Close()
	}
	return parts
}

// SampleParts yields the XML parts of a sample of the real office documents of
// at most limit bytes, each with a name that says where it is.
func SampleParts(t testing.TB, limit int) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, kind := range []string{"docx", "pptx", "xlsx"} {
			for _, path := range Sample(t, kind) {
				file, err := os.ReadFile(path)
				require.NoError(t, err)
				if len(file) > limit {
					continue
				}
				for name, part := range Parts(t, file) {
					if strings.HasSuffix(name, ".xml") && !yield(path+" "+name, xmlscan.UTF8(part)) {
						return
					}
				}
			}
		}
	}
}

// SameParts fails the test unless both packages have the same entries with the
// same bytes, but for those named in except.
func SameParts(t testing.TB, before, after []byte, except ...string) {
	t.Helper()
	a, b := Parts(t, before), Parts(t, after)
	for _, name := range except {
		delete(a, name)
		delete(b, name)
	}
	for name, want := range a {
		have, ok := b[name]
		require.True(t, ok, "the part %s was lost", name)
		require.True(t, bytes.Equal(want, have), "the part %s changed", name)
	}
	for name := range b {
		require.Contains(t, a, name, "a part was added")
	}
}

// Write puts data into a temporary file called name and returns its path.
func Write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}
