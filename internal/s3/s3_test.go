package s3_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/s3"
	"atelier/internal/s3/s3test"
)

func client(t testing.TB, cfg s3.Config) *s3.Client {
	t.Helper()
	c, err := s3.New(cfg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func body(b []byte) s3.Body {
	sum := sha256.Sum256(b)
	return s3.Body{Size: int64(len(b)), SHA256: hex.EncodeToString(sum[:]), From: bytes.NewReader(b)}
}

func bytesOf(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(size)}).Read(b)
	return b
}

func read(ctx context.Context, c *s3.Client, object string) ([]byte, error) {
	r, err := c.Get(ctx, object)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// The errors of a store are one line, say what to do and have nothing of the keys; they are
// not retried where that would not help.
func TestErrors(t *testing.T) {
	const secret, token = "very-hidden-secret", "very-hidden-token"
	var status int
	var answer string
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		assert.NotContains(t, fmt.Sprint(r.Header), secret)
		w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	defer srv.Close()
	c := client(t, s3.Config{Bucket: "documents", Endpoint: srv.URL, PathStyle: true, Key: "AKIAHIDDEN", Secret: secret, Token: token, Patience: 400 * time.Millisecond})
	for _, e := range []struct {
		status int
		answer string
		kind   error
		says   string
		again  bool
	}{
		{403, "<Error><Code>AccessDenied</Code><Message>no\nrights for " + secret + " " + token + " AKIAHIDDEN</Message></Error>", s3.ErrRefused, "403 AccessDenied: no rights for … … …; the key needs", false},
		{403, "<Error><Code>ExpiredToken</Code></Error>", s3.ErrRefused, "AWS_SESSION_TOKEN has ended", false},
		{403, "", s3.ErrRefused, "403 AccessDenied", false},
		{404, "<Error><Code>NoSuchKey</Code></Error>", s3.ErrNotFound, "404 NoSuchKey", false},
		{404, "<Error><Code>NoSuchBucket</Code></Error>", s3.ErrNoBucket, "make the bucket", false},
		{301, "<Error><Code>PermanentRedirect</Code></Error>", s3.ErrRefused, "look at the address and the region", false},
		{307, "", s3.ErrRefused, "it answered 307", false},
		{507, "", s3.ErrRefused, "507 InsufficientStorage", false},
		{503, "<Error><Code>SlowDown</Code></Error>", s3.ErrUnavailable, "503 SlowDown", true},
		{500, "<html>", s3.ErrUnavailable, "it answered 500", true},
		{429, strings.Repeat("x", 1<<20), s3.ErrUnavailable, "it answered 429", true},
	} {
		status, answer, asked = e.status, e.answer, 0
		_, err := read(t.Context(), c, "a/b")
		require.ErrorIs(t, err, e.kind)
		require.ErrorContains(t, err, e.says)
		for _, hidden := range []string{secret, token, "AKIAHIDDEN", "\n", "Signature="} {
			assert.NotContains(t, err.Error(), hidden)
		}
		assert.Equal(t, e.again, asked > 1, "%d: %d requests", e.status, asked)
	}
	srv.Close()
	_, err := read(t.Context(), c, "a/b")
	require.ErrorIs(t, err, s3.ErrUnavailable)
	require.ErrorContains(t, err, "connection refused")
	err = c.Put(t.Context(), "large", s3.Body{Size: s3.Most + 1})
	require.ErrorIs(t, err, s3.ErrRefused)
	require.ErrorContains(t, err, "5 GiB")
}

// A real store: objects of all sizes come back, are listed and removed.
func TestObjects(t *testing.T) {
	campaign.Slow(t)
	s := s3test.Start(t, "documents")
	c := client(t, s.Config("documents"))
	ctx := t.Context()
	for _, size := range []int{0, 1, 1 << 20, 1<<20 + 1, 10<<20 + 3} {
		b := bytesOf(size)
		name := fmt.Sprintf("w/c%d", size)
		require.NoError(t, c.Put(ctx, name, body(b)))
		got, err := read(ctx, c, name)
		require.NoError(t, err)
		require.True(t, bytes.Equal(b, got), name)
	}
	const odd = "w/a b+ü$~%2F"
	require.NoError(t, c.Put(ctx, odd, body([]byte("odd"))))
	got, err := read(ctx, c, odd)
	require.NoError(t, err)
	require.Equal(t, "odd", string(got))
	for i := range 1500 { // more than a page of the list
		require.NoError(t, os.MkdirAll(filepath.Join(s.Bucket("documents"), "many"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(s.Bucket("documents"), "many", fmt.Sprintf("%04d", i)), nil, 0o600))
	}
	list, err := c.List(ctx, "many/")
	require.NoError(t, err)
	require.Len(t, list, 1500)
	require.Equal(t, "many/1499", list[1499].Name)
	list, err = c.List(ctx, "w/")
	require.NoError(t, err)
	require.Len(t, list, 6)
	require.Contains(t, list, s3.Object{Name: "w/c1048577", Size: 1<<20 + 1})
	require.NoError(t, c.Remove(ctx, odd))
	require.NoError(t, c.Remove(ctx, odd))
	_, err = read(ctx, c, odd)
	require.ErrorIs(t, err, s3.ErrNotFound)

	// What is not as its hash says is refused by the store.
	wrong := body([]byte("right"))
	wrong.From = strings.NewReader("wrong")
	require.ErrorIs(t, c.Put(ctx, "w/wrong", wrong), s3.ErrRefused)
	_, err = read(ctx, c, "w/wrong")
	require.ErrorIs(t, err, s3.ErrNotFound)

	cfg := s.Config("documents")
	cfg.Secret = "another-secret"
	err = client(t, cfg).Put(ctx, "w/x", body(nil))
	require.ErrorIs(t, err, s3.ErrRefused)
	require.ErrorContains(t, err, "look at AWS_SECRET_ACCESS_KEY")
	require.NotContains(t, err.Error(), "another-secret")
	err = client(t, s.Config("none")).Put(ctx, "w/x", body(nil))
	require.ErrorIs(t, err, s3.ErrNoBucket)
}

// A real store behind a network that fails: what is acknowledged is there, what is read is
// whole, and what cannot be done ends.
func TestFaults(t *testing.T) {
	campaign.One(t, 0, 3)
	s := s3test.Start(t, "documents")
	p := s.Proxy(t)
	cfg := p.Reach("documents")
	cfg.Patience, cfg.Silence = 10*time.Second, 2*time.Second
	c := client(t, cfg)
	cfg.Patience, cfg.Silence = time.Second, 500*time.Millisecond
	short := client(t, cfg)
	ctx := t.Context()
	b := bytesOf(4 << 20)
	there := func(name string) bool {
		got, err := read(ctx, client(t, s.Config("documents")), name)
		return err == nil && bytes.Equal(b, got)
	}
	p.Clear()
	require.NoError(t, c.Put(ctx, "base", body(b)))

	for i, f := range []s3test.Fault{
		{Status: 500, Times: 2}, {Status: 503, Code: "SlowDown", Times: 1}, {Stall: true, Times: 1},
		{CutRequest: 1 << 20, Times: 2}, {CutAnswer: 1, Times: 1},
	} {
		f.Method = "PUT"
		name := fmt.Sprint("put", i)
		p.Have(f)
		require.NoError(t, c.Put(ctx, name, body(b)), "%+v", f)
		if f.CutAnswer == 0 { // the answer of a PUT has no body
			require.Equal(t, f.Times+1, p.Count("PUT"), "%+v", f)
		}
		require.True(t, there(name), "%+v", f)
	}
	for i, f := range []s3test.Fault{
		{Status: 500}, {Stall: true}, {CutRequest: 1 << 20}, {Status: 403, Code: "AccessDenied"}, {Status: 507},
	} {
		f.Method = "PUT"
		name := fmt.Sprint("not", i)
		p.Have(f)
		begun := time.Now()
		require.Error(t, short.Put(ctx, name, body(b)), "%+v", f)
		require.Less(t, time.Since(begun), 10*time.Second, "%+v", f)
		require.False(t, there(name), "%+v", f)
	}
	for _, f := range []s3test.Fault{
		{Status: 500, Times: 2}, {Stall: true, Times: 1}, {CutAnswer: 1 << 20, Times: 3}, {CutAnswer: 7, Times: 5},
	} {
		f.Method = "GET"
		p.Have(f)
		got, err := read(ctx, c, "base")
		require.NoError(t, err, "%+v", f)
		require.True(t, bytes.Equal(b, got), "%+v", f)
	}
	for _, f := range []s3test.Fault{{CutAnswer: 100}, {Stall: true}, {Status: 502}} {
		f.Method = "GET"
		p.Have(f)
		_, err := read(ctx, short, "base")
		require.ErrorIs(t, err, s3.ErrUnavailable, "%+v", f)
	}
	p.Clear()
	s.Kill()
	require.ErrorIs(t, short.Put(ctx, "dead", body(b)), s3.ErrUnavailable)
	go func() {
		time.Sleep(300 * time.Millisecond)
		s.Restart()
	}()
	require.NoError(t, c.Put(ctx, "back", body(b)))
	require.True(t, there("back"))
}
