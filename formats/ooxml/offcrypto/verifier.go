package offcrypto

import (
	"context"
	"crypto/sha1" // files of older programs use it
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"unicode/utf16"

	"atelier/formats"
)

const (
	verifierSpin    = 100_000 // as Excel writes it
	maxVerifierSpin = 10_000_000
	saltBytes       = 16
)

// Verifier is what a document stores of the password that takes a protection
// away (ECMA-376 part 1, 18.2.29 and 18.3.1.85): a salted hash, spun. It does not
// encrypt anything.
type Verifier struct {
	Algorithm string // such as SHA-512; "" for the 16-bit hash of older programs
	Hash      string // base64, or of older programs four hexadecimal digits
	Salt      string // base64
	Spin      int
}

// NewVerifier makes one of a password, with SHA-512 and a random salt.
func NewVerifier(ctx context.Context, password string) (Verifier, error) {
	salt := random(saltBytes)
	sum, err := spun(ctx, sha512.New(), salt, password, verifierSpin)
	return Verifier{"SHA-512", base64.StdEncoding.EncodeToString(sum), base64.StdEncoding.EncodeToString(salt), verifierSpin}, err
}

// Matches reports whether a password is the one that the document was protected
// with. The error is one of an unknown algorithm, of damaged values, or of ctx.
func (v Verifier) Matches(ctx context.Context, password string) (bool, error) {
	if v.Algorithm == "" {
		return strings.EqualFold(v.Hash, fmt.Sprintf("%04X", legacyHash(password))), nil
	}
	h := map[string]func() hash.Hash{"SHA-1": sha1.New, "SHA-256": sha256.New, "SHA-384": sha512.New384, "SHA-512": sha512.New}[strings.ToUpper(v.Algorithm)]
	if h == nil {
		return false, formats.Errorf(formats.CodeUnsupported, "the protection uses the hash %s, which is not known here", strconv.QuoteToASCII(v.Algorithm[:min(len(v.Algorithm), 40)]))
	}
	if v.Spin < 0 || v.Spin > maxVerifierSpin {
		return false, formats.Errorf(formats.CodeUnsupported, "the protection hashes its password %d times; the limit is %d", v.Spin, maxVerifierSpin)
	}
	salt, err := base64.StdEncoding.DecodeString(v.Salt)
	want, err2 := base64.StdEncoding.DecodeString(v.Hash)
	if err != nil || err2 != nil {
		return false, formats.Errorf(formats.CodeUnsupported, "the hash of the protection is damaged")
	}
	sum, err := spun(ctx, h(), salt, password, v.Spin)
	return err == nil && subtle.ConstantTimeCompare(sum, want) == 1, err
}

// spun hashes a password for a protection: unlike in an encrypted file, the number
// of the round comes behind the hash (18.3.1.85).
func spun(ctx context.Context, h hash.Hash, salt []byte, password string, rounds int) ([]byte, error) {
	h.Write(salt)
	h.Write(utf16Bytes(password))
	sum := h.Sum(nil)
	var n [4]byte
	for i := range rounds {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		binary.LittleEndian.PutUint32(n[:], uint32(i))
		h.Reset()
		h.Write(sum)
		h.Write(n[:])
		sum = h.Sum(sum[:0])
	}
	return sum, nil
}

// legacyHash is the 16-bit hash that programs before Excel 2013 stored (ECMA-376
// part 4, 14.7.1). Characters count by their low byte.
func legacyHash(password string) uint16 {
	units := utf16.Encode([]rune(password))
	sum := uint16(0)
	turn := func() { sum = sum>>14&1 | sum<<1&0x7fff }
	for i := len(units) - 1; i >= 0; i-- {
		turn()
		sum ^= units[i] & 0xff
	}
	turn()
	return sum ^ uint16(len(units)) ^ 0xCE4B
}
