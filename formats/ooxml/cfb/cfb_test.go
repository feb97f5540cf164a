package cfb

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/richardlehane/mscfb"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/formatstest"
)

func stream(name string, b []byte) Entry {
	return Entry{Name: name, Size: int64(len(b)), Write: func(w io.Writer) error { _, err := w.Write(b); return err }}
}

// content returns the streams of a storage by path.
func content(t require.TestingT, f *File, n *Node, at string, into map[string][]byte) map[string][]byte {
	for _, c := range n.Children {
		if c.Storage {
			content(t, f, c, at+c.Name+"/", into)
			continue
		}
		b, err := f.ReadAll(c, 1<<30)
		require.NoError(t, err)
		into[at+c.Name] = b
	}
	return into
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string][]byte{}
		var storage func(at string, depth int) *Storage
		storage = func(at string, depth int) *Storage {
			s := &Storage{}
			n := rapid.IntRange(0, 12).Draw(t, "entries")
			for i := range n {
				name := fmt.Sprintf("%s%d", rapid.StringMatching(`[a-zA-Z\x06 ]{1,10}`).Draw(t, "name"), i)
				if depth < 3 && rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
					s.Entries = append(s.Entries, Entry{Name: name, Storage: storage(at+name+"/", depth+1)})
					continue
				}
				b := bytes.Repeat([]byte(name), rapid.SampledFrom([]int{0, 1, 7, 64, 500, 5000}).Draw(t, "size"))
				want[at+name] = b
				s.Entries = append(s.Entries, stream(name, b))
			}
			return s
		}
		var out bytes.Buffer
		require.NoError(t, Write(&out, storage("", 1)))
		f, err := Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
		require.NoError(t, err)
		require.Equal(t, want, content(t, f, f.Root, "", map[string][]byte{}))
		require.Equal(t, plainNames(want), plainNames(byAnotherReader(t, out.Bytes())))
	})
}

// plainNames drops control characters from names, of which the library mscfb drops some.
func plainNames(m map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for k, v := range m {
		out[strings.Map(func(r rune) rune {
			if r < ' ' {
				return -1
			}
			return r
		}, k)] = v
	}
	return out
}

// byAnotherReader lists the streams as the library mscfb reads them.
func byAnotherReader(t require.TestingT, b []byte) map[string][]byte {
	r, err := mscfb.New(bytes.NewReader(b))
	require.NoError(t, err)
	got := map[string][]byte{}
	for e, err := r.Next(); err == nil; e, err = r.Next() {
		if e.FileInfo().IsDir() {
			continue
		}
		at := ""
		for _, p := range e.Path {
			at += p + "/"
		}
		b, err := io.ReadAll(e)
		require.NoError(t, err)
		if b == nil {
			b = []byte{}
		}
		got[at+e.Name] = b
	}
	return got
}

// A file of more than 7 MB has more tables than its header lists.
func TestLongListOfTables(t *testing.T) {
	for _, size := range []int{109*128*512 - 140*512, 109 * 128 * 512, 30 << 20} {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(i * 7 >> 3)
		}
		var out bytes.Buffer
		require.NoError(t, Write(&out, &Storage{Entries: []Entry{stream("big", b), stream("small", []byte("x"))}}))
		f, err := Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
		require.NoError(t, err)
		got, err := f.ReadAll(f.Root.Child("BIG"), 1<<30)
		require.NoError(t, err)
		require.True(t, bytes.Equal(b, got))
		require.True(t, bytes.Equal(b, byAnotherReader(t, out.Bytes())["big"]))
		// Windows in the middle, across sectors.
		s, err := f.Stream(f.Root.Child("big"))
		require.NoError(t, err)
		part := make([]byte, 70_001)
		_, err = s.ReadAt(part, 12_345)
		require.NoError(t, err)
		require.True(t, bytes.Equal(b[12_345:][:len(part)], part))
	}
}

func TestWriteRefuses(t *testing.T) {
	short := stream("a", []byte("abc"))
	short.Size = 5
	require.ErrorContains(t, Write(io.Discard, &Storage{Entries: []Entry{short}}), "announced")
	require.ErrorContains(t, Write(io.Discard, &Storage{Entries: []Entry{stream("a/b", nil)}}), "name")
	require.ErrorContains(t, Write(io.Discard, &Storage{Entries: []Entry{{Name: "a", Size: MaxBytes}}}), "cannot be written")
}

// Every compound file of the corpus is read as another reader reads it.
func TestCorpus(t *testing.T) {
	for _, path := range formatstest.CorpusFiles(t, "*/*") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		if !Is(bytes.NewReader(b)) {
			continue
		}
		f, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			require.ErrorIs(t, err, ErrDamaged, path)
			continue
		}
		require.Equal(t, plainNames(byAnotherReader(t, b)), plainNames(content(t, f, f.Root, "", map[string][]byte{})), filepath.Base(path))
	}
}

func FuzzOpen(f *testing.F) {
	var out bytes.Buffer
	require.NoError(f, Write(&out, &Storage{Entries: []Entry{stream("big", make([]byte, 9000)), stream("small", []byte("xyz")), {Name: "in", Storage: &Storage{Entries: []Entry{stream("c", nil)}}}}}))
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		total := 0
		var walk func(n *Node)
		walk = func(n *Node) {
			total++
			require.LessOrEqual(t, total, maxEntries)
			for _, k := range n.Children {
				if !k.Storage {
					if got, err := c.ReadAll(k, 1<<20); err == nil {
						require.Len(t, got, int(k.Size))
					}
				}
				walk(k)
			}
		}
		walk(c.Root)
	})
}
