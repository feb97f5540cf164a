// Package ocr recognises the text of pictures with the program tesseract, where it is
// installed. Nothing leaves the machine.
//
//	if ocr.Installed() {
//		r, err := ocr.Read(ctx, png)   // r.Text, r.Languages
//	}
package ocr

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/formats"
	"atelier/internal/budget"
	"atelier/internal/childgroup"
	"atelier/internal/textclip"
)

// The bounds of one recognition.
const (
	timeout      = 2 * time.Minute // the work of another program cannot be counted; a call has its own limit
	maxInput     = 32 << 20        // bytes of a picture
	MaxText      = 64 << 10        // bytes of recognised text
	maxLanguages = 4               // more make it slower and worse
	memory       = 128 << 20       // that a recognition waits for: a page takes 90 MiB
	program      = "tesseract"
)

// Missing says what is needed where the program is not there.
const Missing = "install tesseract to have the text of pictures recognised"

// Recognition is the text that a program made out in a picture. It may be wrong.
type Recognition struct {
	Text      string // at most MaxText bytes
	Cut       bool   // there was more
	Languages string // those that it looked for, such as "eng+deu"
}

// Installed reports whether the program is on the path.
func Installed() bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// slots bounds how many recognitions run at once; each uses several processors.
var slots = make(chan struct{}, 1)

// Read recognises the text of a picture (PNG, JPEG). A failure is a CodeUnsupported
// error, or that of ctx; the program and those that it started end with ctx.
func Read(ctx context.Context, picture []byte) (Recognition, error) {
	if len(picture) > maxInput {
		return Recognition{}, formats.Errorf(formats.CodeTooLarge, "a picture has %d bytes; text is recognised in at most %d MiB", len(picture), maxInput>>20)
	}
	if !Installed() {
		return Recognition{}, formats.Errorf(formats.CodeUnsupported, "%s", Missing)
	}
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return Recognition{}, ctx.Err()
	}
	lang, err := languages(ctx)
	if err != nil {
		return Recognition{}, err
	}
	out := &bounded{most: MaxText}
	if err := run(ctx, bytes.NewReader(picture), out, "stdin", "stdout", "-l", lang); err != nil {
		return Recognition{}, err
	}
	text := strings.TrimSpace(strings.ToValidUTF8(out.String(), "\uFFFD"))
	return Recognition{Text: textclip.Bytes(text, MaxText), Cut: out.cut, Languages: lang}, nil
}

// run runs the program within the time limit.
func run(ctx context.Context, in *bytes.Reader, out *bounded, args ...string) error {
	_, mem, err := budget.Process.Reserve(ctx, memory)
	if err != nil {
		return err
	}
	defer mem.Release()
	mem.Outside()
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, program, args...)
	cmd.Dir = os.TempDir()
	cmd.Env = environment()
	if in != nil {
		cmd.Stdin = in
	}
	said := &bounded{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	cmd.WaitDelay = 2 * time.Second
	childgroup.Own(cmd)
	err = childgroup.Run(cmd)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return formats.Errorf(formats.CodeUnsupported, "tesseract did not finish within %s", timeout)
	case childgroup.Killed(cmd):
		return formats.Errorf(formats.CodeUnavailable, "tesseract was killed, as the system does when memory is short (its log says so); try again later")
	case err != nil:
		why, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return formats.Errorf(formats.CodeUnsupported, "tesseract could not read the picture: %v %s", err, textclip.Bytes(why, 200))
	}
	return nil
}

// environment returns what the program needs of it: the rest may have keys.
func environment() []string {
	env := []string{"OMP_THREAD_LIMIT=1"} // more threads make it slower where processors are few
	for _, name := range []string{"PATH", "HOME", "LD_LIBRARY_PATH", "TESSDATA_PREFIX", "TMPDIR", "TEMP", "TMP", "SystemRoot"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// known are the languages that the program is set up for, asked for once.
var known struct {
	sync.Mutex
	path, list string
}

// languages returns the argument that names them: English first, since most set-ups have
// it, and at most maxLanguages.
func languages(ctx context.Context) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", formats.Errorf(formats.CodeUnsupported, "%s", Missing)
	}
	known.Lock()
	defer known.Unlock()
	if known.path == path {
		return known.list, nil
	}
	out := &bounded{most: 16 << 10}
	if err := run(ctx, nil, out, "--list-langs"); err != nil {
		return "", err
	}
	var list []string
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSpace(line)
		if line == "" || strings.ContainsAny(line, " :/\\") || line == "osd" || line == "equ" || line == "snum" {
			continue
		}
		list = append(list, line)
	}
	if i := slices.Index(list, "eng"); i > 0 {
		list = slices.Insert(slices.Delete(list, i, i+1), 0, "eng")
	}
	if len(list) == 0 {
		return "", formats.Errorf(formats.CodeUnsupported, "tesseract has no language installed")
	}
	known.path, known.list = path, strings.Join(list[:min(len(list), maxLanguages)], "+")
	return known.list, nil
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	buf  bytes.Buffer
	most int
	cut  bool
}

// Write implements io.Writer; it drops what is beyond the bound.
func (b *bounded) Write(p []byte) (int, error) {
	keep := min(len(p), b.most-b.buf.Len())
	b.cut = b.cut || keep < len(p)
	b.buf.Write(p[:keep])
	return len(p), nil
}

func (b *bounded) String() string { return b.buf.String() }
