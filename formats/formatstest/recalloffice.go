package formatstest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/internal/need"
)

// textFilters are how LibreOffice writes each kind as text, and the ending of
// what it makes.
var textFilters = map[string][2]string{
	"docx": {"txt:Text (encoded):UTF8", ".txt"},
	"xlsx": {"csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1", "*.csv"},
	"pptx": {"pdf", ".pdf"},
}

var asciiWord = regexp.MustCompile(`(?:^|[^\pL\pN_&-])([A-Za-z]{4,})(?:[^\pL\pN_-]|$)`)

// OfficeShowsTranslation translates each file with translate, which must change
// every letter from a to z, opens the results in LibreOffice and looks in what
// it shows for words of the original (TR-02, TR-12). It fails on such a word
// that the original has outside the exceptions, on a file that does not open,
// and on a schema error that the original lacks.
func OfficeShowsTranslation(t *testing.T, kind string, paths []string, scan Scan, seg formats.Segmenter, translate func(formats.Segment) string, opt formats.ReplaceOptions) {
	t.Helper()
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	need.Program(t, "soffice", need.LibreOffice)
	in, out := t.TempDir(), t.TempDir()
	type job struct {
		name        string
		visible     map[string]bool // words that had to go
		allowed     map[string]bool
		source, dst string
	}
	var jobs []*job
	for i, path := range paths {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), file)
		segs, err := seg.Segments(context.Background(), src, formats.SegmentOptions{})
		if err != nil {
			continue // the recall test requires a code
		}
		j := &job{name: filepath.Base(path), source: path, visible: map[string]bool{}, allowed: map[string]bool{}, dst: filepath.Join(in, fmt.Sprintf("%03d.%s", i, kind))}
		targets := map[string]string{}
		for _, s := range segs {
			targets[s.ID] = translate(s)
			addWords(j.allowed, tags.Plain(targets[s.ID]))
		}
		for _, v := range scan(OpenPackage(t, file)) {
			if exception(v) == "" {
				addWords(j.visible, v.Text)
			} else {
				addWords(j.allowed, v.Text)
			}
		}
		var buf bytes.Buffer
		require.NoError(t, seg.Replace(context.Background(), src, &buf, targets, opt), path)
		require.NoError(t, os.WriteFile(j.dst, buf.Bytes(), 0o600))
		jobs = append(jobs, j)
	}
	var made []string
	for _, j := range jobs {
		made = append(made, j.dst)
		if errs := ValidateErrors(t, j.dst, j.source); errs != "" {
			t.Errorf("TR-12: %s: schema errors that the original lacks:\n%s", j.name, errs)
		}
	}
	filter := textFilters[kind]
	convert(t, made, filter[0], out)
	words, left := 0, 0
	for _, j := range jobs {
		text, ok := converted(t, out, j.dst, filter[1])
		if !ok { // a crash over another file takes those after it along
			convert(t, []string{j.dst}, filter[0], out)
			if text, ok = converted(t, out, j.dst, filter[1]); !ok {
				t.Errorf("TR-12: LibreOffice does not open what was made of %s", j.name)
				continue
			}
		}
		words += len(strings.Fields(text))
		shown := map[string]bool{}
		addWords(shown, text)
		for w := range shown {
			if j.visible[w] && !j.allowed[w] {
				left++
				t.Errorf("TR-02: LibreOffice still shows the word %q of %s", w, j.name)
			}
		}
	}
	Report(t, "%s  opened in LibreOffice after translation: %d of %d documents, %d words shown, %d words of originals left", kind, len(jobs), len(paths), words, left)
}

func addWords(set map[string]bool, text string) {
	for text != "" {
		m := asciiWord.FindStringSubmatchIndex(text)
		if m == nil {
			return
		}
		set[text[m[2]:m[3]]] = true
		text = text[m[3]:]
	}
}

// convert makes one call for all files; what it could not make is missing.
func convert(t testing.TB, files []string, filter, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	profile := t.TempDir()
	require.NoError(t, newProfile(profile))
	args := append([]string{"-env:UserInstallation=file://" + profile, "--headless", "--norestore", "--convert-to", filter, "--outdir", dir}, files...)
	cmd := exec.CommandContext(ctx, "soffice", args...)
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Logf("soffice: %v: %s", err, out[max(0, len(out)-500):])
	}
}

// converted returns the text of what LibreOffice made of a file.
func converted(t testing.TB, dir, file, ending string) (string, bool) {
	base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	made, err := filepath.Glob(filepath.Join(dir, base+ending))
	require.NoError(t, err)
	var sb strings.Builder
	for _, m := range made {
		if strings.HasSuffix(m, ".pdf") {
			text, err := exec.Command(need.Program(t, "pdftotext", "poppler-utils"), "-enc", "UTF-8", m, "-").Output()
			require.NoError(t, err)
			sb.Write(text)
			continue
		}
		b, err := os.ReadFile(m)
		require.NoError(t, err)
		sb.Write(b)
		sb.WriteByte('\n')
	}
	return sb.String(), len(made) > 0
}
