package offcrypto

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// agile is the encryption of Office since 2010 ([MS-OFFCRYPTO] 2.3.4.10): a random
// key encrypts the content, and the password encrypts that key.
type agile struct {
	raw  []byte // the XML document
	data parameters
	key  encryptedKey
	// others: keys besides the password open the document, such as certificates;
	// they hold the key of the content.
	others   bool
	hmacKey  []byte // encrypted; nil: the content has no keyed hash
	hmacHash []byte
}

// parameters are the attributes that say how something is encrypted.
type parameters struct {
	salt      []byte
	keyBytes  int
	blockSize int
	hashSize  int
	hash      func() hash.Hash
}

type encryptedKey struct {
	parameters
	spin                          int
	verifier, verifierHash, value []byte
}

const (
	nsPassword   = "http://schemas.microsoft.com/office/2006/keyEncryptor/password"
	agileSegment = 4096
)

// What the key of a purpose is derived with ([MS-OFFCRYPTO] 2.3.4.11 to 2.3.4.14).
var (
	forVerifier     = []byte{0xfe, 0xa7, 0xd2, 0x76, 0x3b, 0x4b, 0x9e, 0x79}
	forVerifierHash = []byte{0xd7, 0xaa, 0x0f, 0x6d, 0x30, 0x61, 0x34, 0x4e}
	forKey          = []byte{0x14, 0x6e, 0x0b, 0xe7, 0xab, 0xac, 0xd0, 0xd6}
	forHMACKey      = []byte{0x5f, 0xb2, 0xad, 0x01, 0x0c, 0xb9, 0xe1, 0xf6}
	forHMACHash     = []byte{0xa0, 0x67, 0x7f, 0x02, 0xb2, 0x2c, 0x84, 0x33}
)

// xmlParameters has the attributes of keyData and encryptedKey.
type xmlParameters struct {
	SaltSize  int    `xml:"saltSize,attr"`
	BlockSize int    `xml:"blockSize,attr"`
	KeyBits   int    `xml:"keyBits,attr"`
	HashSize  int    `xml:"hashSize,attr"`
	Cipher    string `xml:"cipherAlgorithm,attr"`
	Chaining  string `xml:"cipherChaining,attr"`
	Hash      string `xml:"hashAlgorithm,attr"`
	Salt      string `xml:"saltValue,attr"`
}

type xmlEncryption struct {
	KeyData   xmlParameters `xml:"keyData"`
	Integrity *struct {
		Key   string `xml:"encryptedHmacKey,attr"`
		Value string `xml:"encryptedHmacValue,attr"`
	} `xml:"dataIntegrity"`
	Encryptors []struct {
		URI string `xml:"uri,attr"`
		Key *struct {
			xmlParameters
			Spin         int    `xml:"spinCount,attr"`
			Verifier     string `xml:"encryptedVerifierHashInput,attr"`
			VerifierHash string `xml:"encryptedVerifierHashValue,attr"`
			Value        string `xml:"encryptedKeyValue,attr"`
		} `xml:"encryptedKey"`
	} `xml:"keyEncryptors>keyEncryptor"`
}

func parseAgile(info []byte) (*agile, error) {
	a := &agile{raw: info[8:]}
	var x xmlEncryption
	if err := xml.Unmarshal(a.raw, &x); err != nil {
		return nil, fmt.Errorf("how it is encrypted cannot be read: %w", err)
	}
	var err error
	if a.data, err = x.KeyData.parse(); err != nil {
		return nil, err
	}
	if x.Integrity != nil {
		if a.hmacKey, err = blocks(x.Integrity.Key); err == nil {
			a.hmacHash, err = blocks(x.Integrity.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	found := false
	for _, e := range x.Encryptors {
		if e.URI != nsPassword || e.Key == nil || found {
			a.others = true
			continue
		}
		found = true
		if a.key.parameters, err = e.Key.parse(); err != nil {
			return nil, err
		}
		if a.key.spin = e.Key.Spin; a.key.spin < 0 || a.key.spin > MaxSpin {
			return nil, unsupported("a password takes %d rounds; the limit is %d", a.key.spin, MaxSpin)
		}
		for _, v := range []struct {
			to   *[]byte
			from string
		}{{&a.key.verifier, e.Key.Verifier}, {&a.key.verifierHash, e.Key.VerifierHash}, {&a.key.value, e.Key.Value}} {
			if *v.to, err = blocks(v.from); err != nil {
				return nil, err
			}
		}
		if len(a.key.value) < a.data.keyBytes || len(a.key.verifierHash) < a.key.hashSize {
			return nil, errors.New("its key is cut off")
		}
	}
	if !found {
		return nil, unsupported("it opens with a certificate, not a password")
	}
	return a, nil
}

func (x xmlParameters) parse() (p parameters, err error) {
	if !strings.EqualFold(x.Cipher, "AES") || x.Chaining != "ChainingModeCBC" {
		return p, unsupported("cipher %.20q, mode %.40q", x.Cipher, x.Chaining)
	}
	hashes := map[string]func() hash.Hash{"SHA1": sha1.New, "SHA256": sha256.New, "SHA384": sha512.New384, "SHA512": sha512.New}
	p.hash = hashes[strings.ReplaceAll(strings.ToUpper(x.Hash), "-", "")]
	if p.hash == nil {
		return p, unsupported("hash %.20q", x.Hash)
	}
	switch x.KeyBits {
	case 128, 192, 256:
	default:
		return p, unsupported("keys of %d bits", x.KeyBits)
	}
	if p.salt, err = base64.StdEncoding.DecodeString(x.Salt); err != nil || len(p.salt) != x.SaltSize || x.SaltSize < 1 || x.SaltSize > 64<<10 {
		return p, errors.New("its salt is damaged")
	}
	p.keyBytes, p.blockSize, p.hashSize = x.KeyBits/8, x.BlockSize, x.HashSize
	if p.blockSize != aes.BlockSize || p.hashSize != p.hash().Size() {
		return p, fmt.Errorf("blocks of %d and hashes of %d bytes", p.blockSize, p.hashSize)
	}
	return p, nil
}

// blocks decodes encrypted bytes, which are whole blocks.
func blocks(s string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b) == 0 || len(b)%aes.BlockSize != 0 {
		return nil, errors.New("its key is damaged")
	}
	return b, nil
}

func (p parameters) sum(parts ...[]byte) []byte {
	h := p.hash()
	for _, b := range parts {
		h.Write(b)
	}
	return h.Sum(nil)
}

// fit cuts b or fills it up, as keys and initialization vectors are made.
func fit(b []byte, size int) []byte {
	for len(b) < size {
		b = append(b, 0x36)
	}
	return b[:size]
}

// iv is the initialization vector of a part of the content.
func (p parameters) iv(of []byte) []byte { return fit(p.sum(p.salt, of), p.blockSize) }

func cbc(key, iv, b []byte, encrypt bool) error {
	c, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	if len(b)%aes.BlockSize != 0 {
		return errors.New("encrypted bytes are no whole blocks")
	}
	if encrypt {
		cipher.NewCBCEncrypter(c, iv).CryptBlocks(b, b)
	} else {
		cipher.NewCBCDecrypter(c, iv).CryptBlocks(b, b)
	}
	return nil
}

func decrypted(key, iv, b []byte) ([]byte, error) {
	b = bytes.Clone(b)
	return b, cbc(key, iv, b, false)
}

// encrypted pads b with zeros.
func encrypted(key, iv, b []byte) ([]byte, error) {
	b = append(bytes.Clone(b), make([]byte, -len(b)&(aes.BlockSize-1))...)
	return b, cbc(key, iv, b, true)
}

// spin hashes a password as often as the file asks for.
func spin(ctx context.Context, h hash.Hash, salt, password []byte, rounds int) ([]byte, error) {
	h.Write(salt)
	h.Write(password)
	sum := h.Sum(nil)
	var n [4]byte
	for i := range rounds {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		binary.LittleEndian.PutUint32(n[:], uint32(i))
		h.Reset()
		h.Write(n[:])
		h.Write(sum)
		sum = h.Sum(sum[:0])
	}
	return sum, nil
}

func (e encryptedKey) derived(spun, purpose []byte) []byte {
	return fit(e.sum(spun, purpose), e.keyBytes)
}

func (a *agile) unlock(ctx context.Context, password []byte) (contentKey, error) {
	e := a.key
	spun, err := spin(ctx, e.hash(), e.salt, password, e.spin)
	if err != nil {
		return nil, err
	}
	iv := fit(bytes.Clone(e.salt), e.blockSize)
	verifier, err := decrypted(e.derived(spun, forVerifier), iv, e.verifier)
	if err != nil {
		return nil, err
	}
	hashed, err := decrypted(e.derived(spun, forVerifierHash), iv, e.verifierHash)
	if err != nil {
		return nil, err
	}
	// The verifier is as long as the salt; what fills its last block is not hashed.
	verifier = verifier[:min(len(verifier), len(e.salt))]
	if subtle.ConstantTimeCompare(e.sum(verifier), hashed[:e.hashSize]) != 1 {
		return nil, ErrWrongPassword
	}
	key, err := decrypted(e.derived(spun, forKey), iv, e.value)
	if err != nil {
		return nil, err
	}
	return &agileKey{agile: a, key: key[:a.data.keyBytes]}, nil
}

func (a *agile) renew(ctx context.Context, password []byte, old contentKey) (contentKey, error) {
	n := *a
	key := random(a.data.keyBytes)
	if a.others { // what else opens the document holds this key
		key = old.(*agileKey).key
	}
	n.data.salt, n.key.salt = random(len(a.data.salt)), random(len(a.key.salt))
	spun, err := spin(ctx, n.key.hash(), n.key.salt, password, n.key.spin)
	if err != nil {
		return nil, err
	}
	e := &n.key
	iv := fit(bytes.Clone(e.salt), e.blockSize)
	verifier := random(len(e.salt))
	if e.verifier, err = encrypted(e.derived(spun, forVerifier), iv, verifier); err != nil {
		return nil, err
	}
	if e.verifierHash, err = encrypted(e.derived(spun, forVerifierHash), iv, e.sum(verifier)); err != nil {
		return nil, err
	}
	if e.value, err = encrypted(e.derived(spun, forKey), iv, key); err != nil {
		return nil, err
	}
	return &agileKey{agile: &n, key: key}, nil
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

type agileKey struct {
	*agile
	key []byte
}

func (k *agileKey) blockBytes() int { return agileSegment }

func (k *agileKey) segmentIV(i int64) []byte {
	return k.data.iv(binary.LittleEndian.AppendUint32(nil, uint32(i)))
}

func (k *agileKey) decrypt(i int64, b []byte) error { return cbc(k.key, k.segmentIV(i), b, false) }
func (k *agileKey) encrypt(i int64, b []byte) error { return cbc(k.key, k.segmentIV(i), b, true) }

func (k *agileKey) check(ctx context.Context, stream io.Reader) error {
	if k.hmacKey == nil {
		return nil
	}
	key, err := decrypted(k.key, k.data.iv(forHMACKey), k.hmacKey)
	if err != nil {
		return err
	}
	want, err := decrypted(k.key, k.data.iv(forHMACHash), k.hmacHash)
	if err != nil || len(want) < k.data.hashSize || len(key) < k.data.hashSize {
		return errors.New("its keyed hash is cut off")
	}
	h := hmac.New(k.data.hash, key[:k.data.hashSize])
	if _, err := io.Copy(h, ctxReader{ctx, stream}); err != nil {
		return err
	}
	if !hmac.Equal(h.Sum(nil), want[:k.data.hashSize]) {
		return errors.New("its content was changed after it was encrypted")
	}
	return nil
}

type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// sealed writes the XML anew: the elements of other keys stay.
func (k *agileKey) sealed(stream func(io.Writer) error) ([]byte, error) {
	secret := random(k.data.hashSize)
	h := hmac.New(k.data.hash, secret)
	if err := stream(h); err != nil {
		return nil, err
	}
	hmacKey, err := encrypted(k.key, k.data.iv(forHMACKey), secret)
	if err != nil {
		return nil, err
	}
	hmacHash, err := encrypted(k.key, k.data.iv(forHMACHash), h.Sum(nil))
	if err != nil {
		return nil, err
	}
	doc, err := rewritten(k.raw, map[string]map[string][]byte{
		"keyData":       {"saltValue": k.data.salt},
		"dataIntegrity": {"encryptedHmacKey": hmacKey, "encryptedHmacValue": hmacHash},
		"encryptedKey": {"saltValue": k.agile.key.salt, "encryptedVerifierHashInput": k.agile.key.verifier,
			"encryptedVerifierHashValue": k.agile.key.verifierHash, "encryptedKeyValue": k.agile.key.value},
	}, k.hmacKey == nil)
	if err != nil {
		return nil, err
	}
	return append([]byte{4, 0, 4, 0, 0x40, 0, 0, 0}, doc...), nil
}
