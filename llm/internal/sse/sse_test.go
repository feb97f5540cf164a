package sse

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// all reads the events of s as "name|data", raw ones as "raw:data".
func all(r io.Reader) (out []string, stray string, err error) {
	rd := NewReader(r, MaxEvent)
	for {
		ev, err := rd.Next()
		if err == io.EOF {
			return out, rd.Stray(), nil
		}
		if err != nil {
			return out, rd.Stray(), err
		}
		s := string(ev.Data)
		switch {
		case ev.Raw:
			s = "raw:" + s
		case ev.Name != "":
			s = ev.Name + "|" + s
		}
		out = append(out, s)
	}
}

func TestReader(t *testing.T) {
	for name, c := range map[string]struct {
		in    string
		want  []string
		stray string
	}{
		"events":                {"data: {}\n\ndata: a\n\n", []string{"{}", "a"}, ""},
		"crlf":                  {"data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}, ""},
		"cr":                    {"data: a\r\rdata: b\r\r", []string{"a", "b"}, ""},
		"mixed":                 {"data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", []string{"a", "b", "c"}, ""},
		"bom":                   {"\xef\xbb\xbfdata: a\n\n", []string{"a"}, ""},
		"bom only at the start": {"data: a\n\n\xef\xbb\xbfdata: b\n\n", []string{"a"}, "\xef\xbb\xbfdata: b"},
		"comments":              {": x\n:\ndata: a\n: y\ndata: b\n\n", []string{"a\nb"}, ""},
		"last event open":       {"data: a", []string{"a"}, ""},
		"last line open":        {"data: a\ndata: b", []string{"a\nb"}, ""},
		"lines join":            {"data: a\ndata:b\ndata\n\n", []string{"a\nb\n"}, ""},
		"one blank is cut":      {"data:  a \n\n", []string{" a "}, ""},
		"objects need no blank": {"data: {\"a\":1}\ndata: {\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}, ""},
		"object over lines":     {"data: {\"a\":\ndata: 1}\n\n", []string{"{\"a\":\n1}"}, ""},
		"bare rest of object":   {"data: {\n \"a\":1\n}\n\n", []string{"{\n\"a\":1\n}"}, ""},
		"done":                  {"data: [DONE]\nx", []string{"[DONE]"}, "x"},
		"name":                  {"event: error\ndata: {}\n\ndata: {}\n\n", []string{"error|{}", "{}"}, ""},
		"name without data":     {"event: ping\n\ndata: a\n\n", []string{"a"}, ""},
		"other fields":          {"id: 1\nretry: 5\ndata: a\n\n", []string{"a"}, ""},
		"words":                 {"Bad gateway\nmore\n", nil, "Bad gateway"},
		"json":                  {"\n {\"a\":1}\n", []string{`raw:{"a":1}`}, ""},
		"json over lines":       {"{\n\"a\": \"}\"\n}\n{}\n", []string{"raw:{\n\"a\": \"}\"\n}", "raw:{}"}, ""},
		"json cut":              {"{\n\"a\"", []string{"raw:{\n\"a\""}, ""},
		"page":                  {"<html>\n", []string{"raw:<html>"}, ""},
		"broken json":           {"data: {\"a\":}\ndata: x\n\ndata: b\n\n", []string{"{\"a\":}\nx", "b"}, ""},
		"nothing":               {"", nil, ""},
		"blank lines":           {"\n\r\n\r\r", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in))} {
				got, stray, err := all(r)
				require.NoError(t, err)
				require.Equal(t, c.want, got)
				require.Equal(t, c.stray, stray)
			}
		})
	}
}

func TestBrokenConnectionDropsTheOpenEvent(t *testing.T) {
	broken := errors.New("reset")
	got, _, err := all(io.MultiReader(strings.NewReader("data: {}\n\ndata: {\"half\":"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.Equal(t, []string{"{}"}, got)
	_, _, err = all(io.MultiReader(strings.NewReader("{\n"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
}

func TestAnEventIsGivenBeforeMoreIsRead(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go w.Write([]byte("data: {\"a\":1}\n"))
	ev, err := NewReader(r, MaxEvent).Next() // hangs if the reader waits for the blank line
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, string(ev.Data))
}

// endless gives the same bytes for ever.
type endless struct{ b []byte }

func (e endless) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		n += copy(p[n:], e.b)
	}
	return len(p), nil
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestLimits(t *testing.T) {
	_, err := NewReader(endless{[]byte("x")}, MaxEvent).Next()
	require.ErrorIs(t, err, ErrTooLong)
	_, err = NewReader(endless{[]byte("data: " + strings.Repeat("y", 1<<20) + "\n")}, MaxEvent).Next()
	require.ErrorIs(t, err, ErrTooLong)
	_, err = NewReader(io.MultiReader(strings.NewReader("{"), endless{[]byte(strings.Repeat("z", 1<<20) + "\n")}), MaxEvent).Next()
	require.ErrorIs(t, err, ErrTooLong)
	_, err = NewReader(stuck{}, MaxEvent).Next()
	require.ErrorIs(t, err, io.ErrNoProgress)
}

func TestBalance(t *testing.T) {
	for text, done := range map[string]bool{
		"": false, "  ": false, "{": false, "{}": true, `{"a":[1,{"b":"}"}]}`: true, `{"a":"\"}`: false, `"a`: false, `"a"`: true, `"a\""`: true,
		"[": false, "[]": true, "null": false, "}": true, `{"a":"\\"}`: true,
	} {
		var whole, pieces Balance
		whole.Feed([]byte(text))
		for _, c := range []byte(text) {
			pieces.Feed([]byte{c})
		}
		require.Equal(t, done, whole.Done(), text)
		require.Equal(t, whole, pieces, text)
		require.Equal(t, strings.ContainsAny(text, `{["`), whole.Started(), text)
	}
}

// FuzzReader: no panic; the events do not depend on how the bytes arrive; a
// stream written by the standard is read back.
func FuzzReader(f *testing.F) {
	for _, s := range []string{"data: {}\n\n", ": c\r\ndata: a\rdata: b\n\n{\n}\nevent: error\ndata: [DONE]\n", "\xef\xbb\xbfdata:{\ndata:\n}\n<x>\nwords"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, stray, err := all(bytes.NewReader(b))
		require.NoError(t, err)
		again, stray2, err := all(iotest.OneByteReader(bytes.NewReader(b)))
		require.NoError(t, err)
		require.Equal(t, got, again)
		require.Equal(t, stray, stray2)

		var sb strings.Builder
		var want []string
		for _, s := range []string{string(b), "end"} {
			q, err := json.Marshal(map[string]string{"s": s})
			require.NoError(t, err)
			want = append(want, string(q))
			sb.WriteString("data: " + string(q) + "\n\n")
		}
		got, _, err = all(strings.NewReader(sb.String()))
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}
