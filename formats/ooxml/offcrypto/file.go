package offcrypto

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"

	"atelier/formats"
	"atelier/formats/ooxml/cfb"
)

const (
	// MaxSpin is how many rounds of a hash a file may want for a password. Office
	// and LibreOffice write 100,000.
	MaxSpin = 2_000_000
	// MaxBytes is how large a document is encrypted, as a package.
	MaxBytes = 1 << 30
	// DefaultPassword is the password of workbooks that Excel opens without asking
	// for one ([MS-OFFCRYPTO] 2.4.2.3).
	DefaultPassword = "VelvetSweatshop"

	infoName    = "EncryptionInfo"
	packageName = "EncryptedPackage"
	maxInfo     = 256 << 10 // bytes of EncryptionInfo
)

// ErrWrongPassword says that a password is not that of the file.
var ErrWrongPassword = errors.New("the password is wrong")

// File is an encrypted document.
type File struct {
	src    formats.Source
	cfb    *cfb.File
	info   []byte // EncryptionInfo
	scheme scheme
}

// scheme is how a document is encrypted.
type scheme interface {
	// unlock returns the key of the document's content.
	unlock(ctx context.Context, password []byte) (contentKey, error)
	// renew returns a new key with the same parameters, and the EncryptionInfo
	// that gives it, but for what depends on the content.
	renew(ctx context.Context, password []byte, old contentKey) (contentKey, error)
}

// contentKey encrypts the content of a document by blocks of blockBytes.
type contentKey interface {
	blockBytes() int // plain bytes that are encrypted together
	decrypt(index int64, b []byte) error
	encrypt(index int64, b []byte) error
	// check compares the stream EncryptedPackage with the keyed hash of it, where
	// there is one.
	check(ctx context.Context, stream io.Reader) error
	// sealed returns the EncryptionInfo of a stream that was encrypted with the key.
	sealed(stream func(io.Writer) error) ([]byte, error)
}

// Open reads how src is encrypted. It returns nil if src is not an encrypted
// document: not a compound file, or one of an older format.
func Open(src formats.Source) (*File, error) {
	if !cfb.Is(src) {
		return nil, nil
	}
	c, err := cfb.Open(src, src.Size())
	if err != nil {
		return nil, corrupt(src, err)
	}
	info, pkg := c.Root.Child(infoName), c.Root.Child(packageName)
	if info == nil || pkg == nil || info.Storage || pkg.Storage {
		return nil, nil
	}
	f := &File{src: src, cfb: c}
	if f.info, err = c.ReadAll(info, maxInfo); err != nil {
		return nil, corrupt(src, err)
	}
	if len(f.info) < 8 {
		return nil, corrupt(src, errors.New("it does not say how it is encrypted"))
	}
	major, minor := binary.LittleEndian.Uint16(f.info), binary.LittleEndian.Uint16(f.info[2:])
	switch {
	case major == 4 && minor == 4:
		f.scheme, err = parseAgile(f.info)
	case minor == 2 && major >= 2 && major <= 4:
		f.scheme, err = parseStandard(f.info)
	default:
		err = unsupported("version %d.%d", major, minor)
	}
	var un *unsupportedError
	if errors.As(err, &un) {
		return nil, formats.Errorf(formats.CodeUnsupported, "%s is encrypted in a way that is not supported (%s); open it in Office and save it with its password in the current format", src.Name(), un.what)
	}
	if err != nil {
		return nil, corrupt(src, err)
	}
	return f, nil
}

func corrupt(src formats.Source, err error) error {
	return formats.Errorf(formats.CodeCorrupt, "%s is an encrypted document and damaged: %w", src.Name(), err)
}

// Key is the password of a File with what it opens. It is not safe for concurrent
// use; its Source is.
type Key struct {
	f        *File
	password []byte // UTF-16
	content  contentKey
	checked  bool // the content was compared with its keyed hash
}

// utf16Bytes returns a password as hashes take it: UTF-16, little-endian.
func utf16Bytes(password string) (b []byte) {
	for _, u := range utf16.Encode([]rune(password)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// Unlock tries a password. A wrong one gives ErrWrongPassword.
func (f *File) Unlock(ctx context.Context, password string) (*Key, error) {
	b := utf16Bytes(password)
	k, err := f.scheme.unlock(ctx, b)
	switch {
	case err == nil:
		return &Key{f: f, password: b, content: k}, nil
	case err == ErrWrongPassword || ctx.Err() != nil:
		return nil, err
	}
	return nil, corrupt(f.src, err)
}

// For returns the key for f, which has the same content as the file that k is of.
func (k *Key) For(f *File) *Key { return &Key{f, k.password, k.content, k.checked} }

// Source returns the content of the document, which is decrypted as it is read.
// Its name and hash are those of the encrypted file. All of it is compared with
// its keyed hash first, where it has one; CodeCorrupt says that it differs.
func (k *Key) Source(ctx context.Context) (formats.Source, error) {
	s, err := k.f.cfb.Stream(k.f.cfb.Root.Child(packageName))
	if err != nil {
		return nil, corrupt(k.f.src, err)
	}
	var head [8]byte
	if _, err := s.ReadAt(head[:], 0); err != nil {
		return nil, corrupt(k.f.src, errors.New("its content is cut off"))
	}
	size := binary.LittleEndian.Uint64(head[:])
	if size > uint64(s.Size()-8) {
		return nil, corrupt(k.f.src, errors.New("its content is cut off"))
	}
	if !k.checked {
		if err := k.content.check(ctx, s); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, corrupt(k.f.src, err)
		}
		k.checked = true
	}
	return &source{of: k.f.src, key: k.content, in: s, size: int64(size), at: -1}, nil
}

// Outer returns the encrypted file itself.
func (k *Key) Outer() formats.Source { return k.f.src }

func unsupported(format string, args ...any) error {
	return &unsupportedError{formats.Errorf(formats.CodeUnsupported, format, args...).Message}
}

type unsupportedError struct{ what string }

func (e *unsupportedError) Error() string { return e.what }
