package offcrypto

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/cfb"
)

var ctx = context.Background()

func unlock(t testing.TB, b []byte, password string) *Key {
	t.Helper()
	f, err := Open(formats.FromBytes("a.xlsx", b))
	require.NoError(t, err)
	require.NotNil(t, f)
	k, err := f.Unlock(ctx, password)
	require.NoError(t, err)
	return k
}

func plain(t testing.TB, k *Key) []byte {
	t.Helper()
	src, err := k.Source(ctx)
	require.NoError(t, err)
	b, err := formats.ReadAll(src, 1<<30)
	require.NoError(t, err)
	return b
}

func encrypt(t testing.TB, k *Key, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := k.Encrypt(ctx, &out)
	require.NoError(t, err)
	for len(content) > 0 { // in pieces of uneven size
		n := min(len(content), 1777)
		_, err := w.Write(content[:n])
		require.NoError(t, err)
		content = content[n:]
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// sample returns a workbook, encrypted by another program.
func sample(t testing.TB, password string) []byte {
	t.Helper()
	f := excelize.NewFile()
	require.NoError(t, f.SetCellValue("Sheet1", "A1", "confidential"))
	var out bytes.Buffer
	require.NoError(t, f.Write(&out, excelize.Options{Password: password}))
	return out.Bytes()
}

// agileSample returns the sample with agile encryption and the given algorithms.
func agileSample(t testing.TB, password, hash string, bits int) []byte {
	t.Helper()
	size := map[string]string{"SHA1": "20", "SHA256": "32", "SHA384": "48", "SHA512": "64"}[hash]
	salt := base64.StdEncoding.EncodeToString(make([]byte, 16))
	attrs := ` saltSize="16" blockSize="16" keyBits="` + map[int]string{128: "128", 192: "192", 256: "256"}[bits] + `" hashSize="` + size +
		`" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="` + hash + `" saltValue="` + salt + `"`
	any32 := base64.StdEncoding.EncodeToString(make([]byte, 64))
	doc := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n" + `<encryption xmlns="http://schemas.microsoft.com/office/2006/encryption" xmlns:p="` + nsPassword + `"><keyData` + attrs + `/>` +
		`<dataIntegrity encryptedHmacKey="` + any32 + `" encryptedHmacValue="` + any32 + `"/><keyEncryptors><keyEncryptor uri="` + nsPassword + `"><p:encryptedKey spinCount="1000"` + attrs +
		` encryptedVerifierHashInput="` + any32 + `" encryptedVerifierHashValue="` + any32 + `" encryptedKeyValue="` + any32 + `"/></keyEncryptor></keyEncryptors></encryption>`
	a, err := parseAgile(append([]byte{4, 0, 4, 0, 0x40, 0, 0, 0}, doc...))
	require.NoError(t, err)
	std := unlock(t, sample(t, "x"), "x")
	content := plain(t, std)
	std.f.scheme = a
	std.password = utf16le(password)
	return encrypt(t, std, content)
}

func utf16le(s string) (b []byte) {
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8))
	}
	return b
}

// opensInExcelize reads the workbook with another implementation.
func opensInExcelize(t testing.TB, b []byte, password, want string) {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(b), excelize.Options{Password: password})
	require.NoError(t, err)
	defer f.Close()
	got, err := f.GetCellValue("Sheet1", "A1")
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestStandard(t *testing.T) {
	b := sample(t, "geheim")
	k := unlock(t, b, "geheim")
	content := plain(t, k)
	again := encrypt(t, k, content)
	opensInExcelize(t, again, "geheim", "confidential")
	require.Equal(t, content, plain(t, unlock(t, again, "geheim")))
	require.NotContains(t, string(again), string(b[0x1000:0x1040]), "new salts give other bytes")
}

func TestAgile(t *testing.T) {
	for _, hash := range []string{"SHA1", "SHA256", "SHA384", "SHA512"} {
		for _, bits := range []int{128, 192, 256} {
			b := agileSample(t, "pässwörd", hash, bits)
			k := unlock(t, b, "pässwörd")
			require.Equal(t, []byte("PK"), plain(t, k)[:2])
			// The other implementation pads keys by zeros, and takes keys of 192 bits
			// for longer ones.
			if bits == 128 || bits == 256 && hash != "SHA1" {
				opensInExcelize(t, b, "pässwörd", "confidential")
			}
		}
	}
}

func TestWrongPassword(t *testing.T) {
	for _, b := range [][]byte{sample(t, "a"), agileSample(t, "a", "SHA512", 256)} {
		f, err := Open(formats.FromBytes("a.xlsx", b))
		require.NoError(t, err)
		for _, p := range []string{"", "b", "A", "a ", strings.Repeat("a", 1000)} {
			_, err = f.Unlock(ctx, p)
			require.ErrorIs(t, err, ErrWrongPassword, p)
		}
	}
}

// The password of these files of the tests of another library is "password".
func TestCorpusOpens(t *testing.T) {
	n := 0
	for _, path := range formatstest.CorpusFiles(t, "*/*") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		f, err := Open(formats.FromBytes(filepath.Base(path), b))
		if err != nil || f == nil {
			require.True(t, err == nil || formats.CodeOf(err) != "", "%s: %v", path, err)
			continue
		}
		n++
		k, err := f.Unlock(ctx, "password")
		if errors.Is(err, ErrWrongPassword) {
			k, err = f.Unlock(ctx, DefaultPassword)
		}
		require.NoError(t, err, path)
		content := plain(t, k)
		require.Equal(t, "PK", string(content[:2]), path)
		// Encrypted again it has the same streams, and opens with the same password.
		again := encrypt(t, k, content)
		c, err := cfb.Open(bytes.NewReader(again), int64(len(again)))
		require.NoError(t, err)
		require.Equal(t, names(k.f.cfb.Root), names(c.Root))
		g, err := Open(formats.FromBytes("again.xlsx", again))
		require.NoError(t, err)
		require.Equal(t, len(k.f.info), len(g.info), "the same parameters")
		k2, err := g.Unlock(ctx, string(fromUTF16(k.password)))
		require.NoError(t, err)
		require.Equal(t, content, plain(t, k2))
	}
	if n == 0 {
		t.Skip("the corpus has no encrypted documents")
	}
}

func fromUTF16(b []byte) (r []rune) {
	for i := 0; i < len(b); i += 2 {
		r = append(r, rune(b[i])|rune(b[i+1])<<8)
	}
	return r
}

func names(n *cfb.Node) (list []string) {
	for _, c := range n.Children {
		list = append(list, c.Name)
		list = append(list, names(c)...)
	}
	return list
}

// A change of any byte of the content is noticed where there is a keyed hash.
func TestIntegrity(t *testing.T) {
	b := agileSample(t, "a", "SHA512", 256)
	c, err := cfb.Open(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	s, err := c.ReadAll(c.Root.Child(packageName), 1<<20)
	require.NoError(t, err)
	at := bytes.Index(b, s[:64])
	require.Positive(t, at)
	for _, off := range []int{0, 20, 2000, len(s) - 1} {
		bad := bytes.Clone(b)
		bad[at+off] ^= 1
		_, err := unlock(t, bad, "a").Source(ctx)
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), "%d: %v", off, err)
	}
}

func TestNotEncrypted(t *testing.T) {
	for _, b := range [][]byte{nil, []byte("PK\x03\x04"), []byte("hello")} {
		f, err := Open(formats.FromBytes("a.xlsx", b))
		require.NoError(t, err)
		require.Nil(t, f)
	}
	var old bytes.Buffer
	require.NoError(t, cfb.Write(&old, &cfb.Storage{Entries: []cfb.Entry{bytesEntry("Workbook", make([]byte, 9000))}}))
	f, err := Open(formats.FromBytes("a.xls", old.Bytes()))
	require.NoError(t, err)
	require.Nil(t, f)
}

// hostile returns a document with that EncryptionInfo.
func hostile(t *testing.T, info string, pkg int) formats.Source {
	var out bytes.Buffer
	require.NoError(t, cfb.Write(&out, &cfb.Storage{Entries: []cfb.Entry{bytesEntry(infoName, []byte(info)), bytesEntry(packageName, make([]byte, pkg))}}))
	return formats.FromBytes("a.xlsx", out.Bytes())
}

func TestHostile(t *testing.T) {
	whole := agileSample(t, "a", "SHA1", 128)
	c, err := cfb.Open(bytes.NewReader(whole), int64(len(whole)))
	require.NoError(t, err)
	good, err := c.ReadAll(c.Root.Child(infoName), maxInfo)
	require.NoError(t, err)
	with := func(old, now string) string {
		require.Contains(t, string(good), old)
		return strings.Replace(string(good), old, now, 1)
	}
	for name, tc := range map[string]struct {
		info string
		code formats.Code
	}{
		"spin":         {with(`spinCount="1000"`, `spinCount="2000000001"`), formats.CodeUnsupported},
		"negative":     {with(`spinCount="1000"`, `spinCount="-1"`), formats.CodeUnsupported},
		"block size":   {with(`blockSize="16"`, `blockSize="0"`), formats.CodeCorrupt},
		"hash size":    {with(`hashSize="20"`, `hashSize="64"`), formats.CodeCorrupt},
		"salt size":    {with(`saltSize="16"`, `saltSize="99999999"`), formats.CodeCorrupt},
		"cipher":       {with(`"AES"`, `"RC2"`), formats.CodeUnsupported},
		"mode":         {with(`ChainingModeCBC`, `ChainingModeCFB`), formats.CodeUnsupported},
		"key bits":     {with(`keyBits="128"`, `keyBits="0"`), formats.CodeUnsupported},
		"certificate":  {with(`uri="`+nsPassword, `uri="http://schemas.microsoft.com/office/2006/keyEncryptor/certificate`), formats.CodeUnsupported},
		"entities":     {"\x04\x00\x04\x00\x40\x00\x00\x00" + `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><encryption>&b;</encryption>`, formats.CodeCorrupt},
		"cut":          {string(good[:len(good)/2]), formats.CodeCorrupt},
		"empty":        {"", formats.CodeCorrupt},
		"extensible":   {"\x04\x00\x03\x00" + strings.Repeat("\x00", 200), formats.CodeUnsupported},
		"standard cut": {"\x04\x00\x02\x00\x24\x00\x00\x00\xff\xff\xff\xff" + strings.Repeat("\x00", 200), formats.CodeCorrupt},
		"rc4":          {"\x02\x00\x02\x00\x04\x00\x00\x00\x20\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x68\x00\x00\x04\x80\x00\x00" + strings.Repeat("\x00", 200), formats.CodeUnsupported},
	} {
		_, err := Open(hostile(t, tc.info, 9000))
		require.Equal(t, tc.code, formats.CodeOf(err), "%s: %v", name, err)
	}
	// More content is promised than there is.
	f, err := Open(hostile(t, string(good), 7))
	require.NoError(t, err)
	k, err := f.Unlock(ctx, "a")
	require.NoError(t, err)
	_, err = k.Source(ctx)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}

func TestCancelled(t *testing.T) {
	b := agileSample(t, "a", "SHA512", 256)
	f, err := Open(formats.FromBytes("a.xlsx", b))
	require.NoError(t, err)
	f.scheme.(*agile).key.spin = MaxSpin
	c, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err = f.Unlock(c, "a")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// A reader at any place gets the same bytes as one from the beginning.
func TestRandomAccess(t *testing.T) {
	content := make([]byte, 3*4096+17)
	for i := range content {
		content[i] = byte(i * 31 >> 2)
	}
	for _, b := range [][]byte{sample(t, "a"), agileSample(t, "a", "SHA256", 256)} {
		k := unlock(t, encrypt(t, unlock(t, b, "a"), content), "a")
		src, err := k.Source(ctx)
		require.NoError(t, err)
		require.EqualValues(t, len(content), src.Size())
		for _, off := range []int64{0, 1, 4095, 4096, 8000, 3 * 4096, 3*4096 + 16} {
			part := make([]byte, 5000)
			n, err := src.ReadAt(part, off)
			require.Equal(t, content[off:min(int(off)+5000, len(content))], part[:n])
			require.Equal(t, n < 5000, err == io.EOF)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(sample(f, "a"))
	f.Add(agileSample(f, "a", "SHA1", 128))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		file, err := Open(formats.FromBytes("a.xlsx", b))
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err))
			return
		}
		if file == nil {
			return
		}
		k, err := file.Unlock(c, "a")
		if err != nil {
			return
		}
		src, err := k.Source(c)
		if err == nil {
			_, _ = formats.ReadAll(src, 16<<20)
			_, _ = k.Encrypt(c, io.Discard)
		}
	})
}
