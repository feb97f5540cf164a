package redact_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/llm/replay/redact"
)

const (
	key  = "tvly+Zz/9.x-0123=AB"
	home = "/home/änn o'b"
)

func redactor() *redact.Redactor {
	r := redact.New()
	r.Secret(key)
	r.Path(home, "$HOME")
	r.Path(`C:\Users\ann`, "$HOME")
	r.Name("ann-laptop", "$HOST")
	r.Name("ann", "$USER")
	return r
}

func escaped(s string, times int) string {
	for range times {
		b, _ := json.Marshal(s)
		s = strings.Trim(string(b), `"`)
	}
	return s
}

// D-21: every way of writing a thing.
func TestD21Forms(t *testing.T) {
	r := redactor()
	for form, write := range map[string]func(string) string{
		"plain":        func(s string) string { return s },
		"JSON":         func(s string) string { return escaped(s, 1) },
		"JSON in JSON": func(s string) string { return escaped(s, 2) },
		"slashes":      func(s string) string { return strings.ReplaceAll(escaped(s, 1), "/", `\/`) },
		"query":        url.QueryEscape,
		"path":         url.PathEscape,
		"twice":        func(s string) string { return url.PathEscape(url.PathEscape(s)) },
		"all escaped": func(s string) string {
			var sb strings.Builder
			for _, c := range s {
				sb.WriteString(`\u00` + string("0123456789abcdef"[c>>4]) + string("0123456789ABCDEF"[c&15]))
			}
			return sb.String()
		},
		"XML": func(s string) string { return strings.NewReplacer("'", "&apos;", "/", "&#47;").Replace(s) },
	} {
		require.Equal(t, "see REDACTED.", r.Text("see "+write(key)+"."), form)
		if form != "query" { // a space is + there
			require.Equal(t, "see $HOME/x", r.Text("see "+write(home)+"/x"), form)
		}
		require.Equal(t, "REDACTED $HOME", decode(t, r.Text(base64.StdEncoding.EncodeToString([]byte(write(key)+" "+home)))), form)
	}
	require.Equal(t, `$HOME\docs`, r.Text(`C:\Users\ann\docs`))
	require.Equal(t, "file:///$HOME/docs", r.Text("file:///C:/Users/ann/docs"))
	require.Equal(t, "/home/änn o'bert", r.Text("/home/änn o'bert"), "another folder")
}

func decode(t *testing.T, s string) string {
	b, err := base64.StdEncoding.DecodeString(s)
	require.NoError(t, err)
	return string(b)
}

// Names are taken out as words only, the end of an escape not being part of one.
func TestD21Names(t *testing.T) {
	r := redactor()
	for in, want := range map[string]string{
		"ann":               "$USER",
		"Joanna, annual":    "Joanna, annual",
		"by ann@ann-laptop": "by $USER@$HOST",
		`line\nann\tann`:    `line\n$USER\t$USER`,
		`\u0020ann`:         `\u0020$USER`,
		"a%20ann%2Fx":       "a%20$USER%2Fx",
		"ann_1 xann":        "ann_1 xann",
	} {
		require.Equal(t, want, r.Text(in), in)
	}
	plain := redact.New()
	plain.Name("root", "$USER")
	plain.Name("al", "$USER")
	plain.Secret("ollama")
	plain.Path("/", "$HOME")
	require.Equal(t, "root al ollama / x", plain.Text("root al ollama / x"))
}

// What looks like a key, and what does not.
func TestD21LooksLikeAKey(t *testing.T) {
	for _, secret := range []string{
		"sk-proj-abcdefghijklmnop0123", "ghp_abcdefghijklmnopqrst0123", "AKIAABCDEFGHIJKLMNOP", "xoxb-1234567890-abc",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
	} {
		r := redact.New()
		r.Learn("it is " + secret + ".")
		require.Equal(t, "REDACTED, again REDACTED", r.Text(secret+", again "+secret), secret)
	}
	const random = "9f86d081884c7d659a2feaa0c55ad015"
	for _, text := range []string{
		`{"api_key":"` + random + `"}`, `{\"token\": \"` + random + `\"}`, "password=" + random, "client_secret: '" + random + "'",
		"Authorization: Bearer " + random, "?access_token=" + random + "&x=1",
	} {
		r := redact.New()
		r.Learn(text)
		require.NotContains(t, r.Text(text), random, text)
	}
	for _, text := range []string{`{"max_tokens":12345678901234567}`, `"keyword":"accountability"`, "the key: understanding people", `{"last_read_hash":"` + random + `"}`} {
		r := redact.New()
		r.Learn(text)
		require.Equal(t, text, r.Text(text))
	}
	r := redact.New()
	r.Learn("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123456789abcdefghij\nklmnopqrstuvwxyz0123456789\n-----END RSA PRIVATE KEY-----\n")
	require.NotContains(t, r.Text("line klmnopqrstuvwxyz0123456789"), "klmnop")
	for _, text := range []string{`\nsk-live-0123456789abcdefgh`, `%0Ask-live-0123456789abcdefgh`, `"token\u0022:\u0022` + random + `\u0022`} {
		r := redact.New()
		r.Learn(text)
		require.Contains(t, r.Text(text), redact.Mark, text)
	}
	two := redact.New()
	two.Secret("first-0123456789")
	two.Secret("second-0123456789")
	require.Equal(t, "REDACTED-2 REDACTED", two.Text("second-0123456789 first-0123456789"))
}

func chunk(arguments string) string {
	b, _ := json.Marshal(arguments)
	return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":` + string(b) + `}}]}}]}` + "\n\n"
}

// D-21: however a text is cut into deltas, nothing is left, the number of events
// stays, and the joined text is the same as that of the redacted whole.
func TestD21SplitOverDeltas(t *testing.T) {
	r := redactor()
	whole := `{"path":"a.txt","content":"` + escaped(home, 1) + `/x\n` + escaped(key, 1) + ` of ann ` + base64.StdEncoding.EncodeToString([]byte("my key is "+key)) + `"}`
	rapid.Check(t, func(rt *rapid.T) {
		var parts []string
		rest := whole
		for rest != "" {
			n := min(rapid.IntRange(1, 9).Draw(rt, "n"), len(rest))
			for n < len(rest) && rest[n]&0xC0 == 0x80 {
				n++
			}
			parts = append(parts, rest[:n])
			rest = rest[n:]
		}
		body := ""
		for _, p := range parts {
			body += chunk(p)
		}
		clean := r.Stream(body + "data: [DONE]\n\n")
		joined := ""
		for line := range strings.Lines(clean) {
			var c struct {
				Choices []struct {
					Delta struct {
						Calls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
					}
				}
			}
			if data, ok := strings.CutPrefix(line, "data: {"); ok {
				if err := json.Unmarshal([]byte("{"+data), &c); err != nil {
					rt.Fatal(err)
				}
				joined += c.Choices[0].Delta.Calls[0].Function.Arguments
			}
		}
		if joined != r.Text(whole) || strings.Count(clean, "data: {") != len(parts) {
			rt.Fatalf("%s\n%s", joined, clean)
		}
	})
	require.NotContains(t, r.Text(whole), "ann")
	require.Equal(t, `{"content":"hi"}`, r.Stream(`{"content":"hi"}`))
	learning := redact.New()
	learning.LearnStream(chunk(`{"token":"0123456789ab`) + chunk(`cdef"}`))
	require.NotContains(t, learning.Stream(chunk(`0123456789`)+chunk(`abcdef`)), "abcdef")
}

// D-21: an office file is looked into; the parts without anything stay.
func TestD21OfficeFiles(t *testing.T) {
	pack := func(parts ...string) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for i := 0; i < len(parts); i += 2 {
			f, err := w.Create(parts[i])
			require.NoError(t, err)
			_, err = f.Write([]byte(parts[i+1]))
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		return b.Bytes()
	}
	r := redactor()
	clean, looked := r.File(pack("docProps/core.xml", "<dc:creator>ann</dc:creator>", "word/document.xml", "<w:t>plain</w:t>", "in.xlsx", string(pack("x.xml", key))))
	require.True(t, looked)
	zr, err := zip.NewReader(bytes.NewReader(clean), int64(len(clean)))
	require.NoError(t, err)
	require.Len(t, zr.File, 3)
	again, _ := r.File(clean)
	require.Equal(t, clean, again)
	same := pack("a.xml", "<t>nothing</t>")
	got, looked := r.File(same)
	require.True(t, looked)
	require.Equal(t, same, got)
	nested := pack("a.docx", string(pack("b.xlsx", string(pack("x.xml", "<v>sk-live-0123456789abcdefgh</v>")))))
	r = redactor()
	r.LearnFile(nested)
	require.False(t, r.Clean("sk-live-0123456789abcdefgh"), "found where it is taken out")
	_, looked = r.File([]byte("%PDF-1.7\xff\xfe"))
	require.False(t, looked)
}

func FuzzText(f *testing.F) {
	f.Add(`\\u0061nn %2525 &amp; ` + key)
	r := redactor()
	f.Fuzz(func(t *testing.T, s string) {
		clean := r.Text(s)
		if strings.Contains(clean, key) {
			t.Fatalf("%q", clean)
		}
		r.Stream(s)
	})
}
