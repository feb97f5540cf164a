package offcrypto

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"

	"atelier/formats"
	"atelier/formats/ooxml/cfb"
)

// Encrypt returns a writer for the new content of the document. Closing it writes
// the whole document to dst, encrypted with the same password and parameters, new
// salts and a new key. The encrypted content is in memory until then.
func (k *Key) Encrypt(ctx context.Context, dst io.Writer) (io.WriteCloser, error) {
	key, err := k.f.scheme.renew(ctx, k.password, k.content)
	if err != nil {
		return nil, err
	}
	return &writer{ctx: ctx, of: k.f, key: key, dst: dst}, nil
}

// writer encrypts blocks as they become full.
type writer struct {
	ctx    context.Context
	of     *File
	key    contentKey
	dst    io.Writer
	blocks [][]byte // encrypted, each of blockBytes but the last
	rest   []byte   // not encrypted yet
	size   int64
	failed error
}

func (w *writer) Write(b []byte) (int, error) {
	if w.failed != nil {
		return 0, w.failed
	}
	per := w.key.blockBytes()
	for n := 0; n < len(b); {
		if err := w.ctx.Err(); err != nil {
			w.failed = err
			return n, err
		}
		if w.rest == nil {
			w.rest = make([]byte, 0, per)
		}
		k := min(per-len(w.rest), len(b)-n)
		if w.size += int64(k); w.size > MaxBytes {
			w.failed = formats.Errorf(formats.CodeTooLarge, "%s would have more than %d MiB, the limit for encrypted documents", w.of.src.Name(), MaxBytes>>20)
			return n, w.failed
		}
		w.rest = append(w.rest, b[n:n+k]...)
		n += k
		if len(w.rest) == per {
			if w.failed = w.seal(); w.failed != nil {
				return n, w.failed
			}
		}
	}
	return len(b), nil
}

// seal encrypts the rest in place.
func (w *writer) seal() error {
	w.rest = append(w.rest, make([]byte, -len(w.rest)&15)...)
	if err := w.key.encrypt(int64(len(w.blocks)), w.rest); err != nil {
		return err
	}
	w.blocks, w.rest = append(w.blocks, w.rest), nil
	return nil
}

// stream writes the stream EncryptedPackage.
func (w *writer) stream(to io.Writer) error {
	if _, err := to.Write(binary.LittleEndian.AppendUint64(nil, uint64(w.size))); err != nil {
		return err
	}
	for i, b := range w.blocks {
		if i%256 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		if _, err := to.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// Close writes the document.
func (w *writer) Close() error {
	if w.failed != nil {
		return w.failed
	}
	w.failed = errors.New("it is closed")
	if len(w.rest) > 0 {
		if err := w.seal(); err != nil {
			return err
		}
	}
	info, err := w.key.sealed(w.stream)
	if err != nil {
		return err
	}
	length := int64(8)
	for _, b := range w.blocks {
		length += int64(len(b))
	}
	root, err := w.of.copyOf(w.of.cfb.Root, map[string]cfb.Entry{
		infoName:    bytesEntry(infoName, info),
		packageName: {Name: packageName, Size: length, Write: w.stream},
	})
	if err != nil {
		return err
	}
	return cfb.Write(w.dst, root)
}

const maxKept = 16 << 20 // bytes of one other stream

// copyOf returns a storage of the file as it is, but for some entries of the root.
func (f *File) copyOf(n *cfb.Node, instead map[string]cfb.Entry) (*cfb.Storage, error) {
	s := &cfb.Storage{CLSID: n.CLSID}
	for _, c := range n.Children {
		switch e, is := instead[c.Name]; {
		case is:
			s.Entries = append(s.Entries, e)
		case c.Storage:
			in, err := f.copyOf(c, nil)
			if err != nil {
				return nil, err
			}
			s.Entries = append(s.Entries, cfb.Entry{Name: c.Name, Storage: in})
		default:
			b, err := f.cfb.ReadAll(c, maxKept)
			if err != nil {
				return nil, corrupt(f.src, err)
			}
			s.Entries = append(s.Entries, bytesEntry(c.Name, b))
		}
	}
	return s, nil
}

func bytesEntry(name string, b []byte) cfb.Entry {
	return cfb.Entry{Name: name, Size: int64(len(b)), Write: func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(b))
		return err
	}}
}
