package offcrypto

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"io"
)

// standard is the encryption of Office 2007 ([MS-OFFCRYPTO] 2.3.4.5): the password
// itself gives the key of the content.
type standard struct {
	head         []byte // EncryptionInfo up to the verifier
	keyBytes     int
	salt         []byte
	verifier     []byte // encrypted
	verifierHash []byte
}

const (
	standardSpin = 50_000
	flagAES      = 0x20
	standardPart = 4096 // bytes that are decrypted at once; ECB has no larger unit than 16
)

func parseStandard(info []byte) (*standard, error) {
	if len(info) < 12 {
		return nil, errors.New("how it is encrypted is cut off")
	}
	u32 := binary.LittleEndian.Uint32
	size := u32(info[8:])
	if size < 32 || uint64(size)+12 > uint64(len(info)) {
		return nil, errors.New("how it is encrypted is cut off")
	}
	h := info[12 : 12+size]
	flags, alg, algHash, bits := u32(h), u32(h[8:]), u32(h[12:]), u32(h[16:])
	byAlg := map[uint32]uint32{0x660E: 128, 0x660F: 192, 0x6610: 256}
	if alg == 0 && flags&flagAES != 0 {
		alg = 0x660E
	}
	if want := byAlg[alg]; want == 0 || algHash != 0 && algHash != 0x8004 {
		return nil, unsupported("cipher %#x, hash %#x", alg, algHash)
	} else if bits != 0 && bits != want {
		return nil, errors.New("its key has another size than its cipher")
	}
	s := &standard{head: info[:12+size], keyBytes: int(byAlg[alg] / 8)}
	v := info[12+size:]
	if len(v) < 4+16+16+4+32 || u32(v) != 16 || u32(v[36:]) != sha1.Size {
		return nil, errors.New("its verifier is damaged")
	}
	s.salt, s.verifier, s.verifierHash = v[4:20], v[20:36], v[40:72]
	return s, nil
}

func (s *standard) key(ctx context.Context, salt, password []byte) (*standardKey, error) {
	spun, err := spin(ctx, sha1.New(), salt, password, standardSpin)
	if err != nil {
		return nil, err
	}
	final := sha1.Sum(append(spun, 0, 0, 0, 0))
	var key []byte
	for _, pad := range []byte{0x36, 0x5C} {
		b := bytes.Repeat([]byte{pad}, 64)
		subtle.XORBytes(b, b, final[:])
		sum := sha1.Sum(b)
		key = append(key, sum[:]...)
	}
	c, err := aes.NewCipher(key[:s.keyBytes])
	return &standardKey{standard: s, c: c}, err
}

func (s *standard) unlock(ctx context.Context, password []byte) (contentKey, error) {
	k, err := s.key(ctx, s.salt, password)
	if err != nil {
		return nil, err
	}
	verifier, hashed := bytes.Clone(s.verifier), bytes.Clone(s.verifierHash)
	if err := errors.Join(k.decrypt(0, verifier), k.decrypt(0, hashed)); err != nil {
		return nil, err
	}
	sum := sha1.Sum(verifier)
	if subtle.ConstantTimeCompare(sum[:], hashed[:sha1.Size]) != 1 {
		return nil, ErrWrongPassword
	}
	return k, nil
}

func (s *standard) renew(ctx context.Context, password []byte, _ contentKey) (contentKey, error) {
	n := *s
	n.salt = random(len(s.salt))
	k, err := n.key(ctx, n.salt, password)
	if err != nil {
		return nil, err
	}
	n.verifier = random(16)
	sum := sha1.Sum(n.verifier)
	n.verifierHash = append(sum[:], make([]byte, 32-sha1.Size)...)
	return k, errors.Join(k.encrypt(0, n.verifier), k.encrypt(0, n.verifierHash))
}

type standardKey struct {
	*standard
	c cipher.Block
}

func (k *standardKey) blockBytes() int { return standardPart }

func (k *standardKey) decrypt(_ int64, b []byte) error { return ecb(k.c.Decrypt, b) }
func (k *standardKey) encrypt(_ int64, b []byte) error { return ecb(k.c.Encrypt, b) }

func ecb(do func(dst, src []byte), b []byte) error {
	if len(b)%aes.BlockSize != 0 {
		return errors.New("encrypted bytes are no whole blocks")
	}
	for i := 0; i < len(b); i += aes.BlockSize {
		do(b[i:], b[i:])
	}
	return nil
}

// check has nothing to compare: the standard encryption has no keyed hash.
func (k *standardKey) check(context.Context, io.Reader) error { return nil }

func (k *standardKey) sealed(func(io.Writer) error) ([]byte, error) {
	b := binary.LittleEndian.AppendUint32(bytes.Clone(k.head), uint32(len(k.salt)))
	b = append(append(b, k.salt...), k.verifier...)
	b = binary.LittleEndian.AppendUint32(b, sha1.Size)
	return append(b, k.verifierHash...), nil
}
