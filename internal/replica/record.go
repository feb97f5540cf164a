package replica

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The kinds of Record.
const (
	kindTakeover = "takeover" // the first of an owner
	kindChange   = "change"
	kindSnapshot = "snapshot"
)

// maxRecord bounds a decoded record in bytes.
const maxRecord = 256 << 20

// Record is one message of the log of a workspace: what changed in its state folder since
// the record before.
type Record struct {
	Kind    string   `json:"kind"`
	Fence   uint64   `json:"fence"`  // number of the ownership: rising, never used twice
	Number  uint64   `json:"number"` // of the record within it, from 1
	Owner   string   `json:"owner,omitempty"`
	Changes []Change `json:"changes,omitempty"`
	// Snapshot is what a kindSnapshot names: the whole state after message Upto.
	Snapshot *Content `json:"snapshot,omitempty"`
	Upto     uint64   `json:"upto,omitempty"`
	// Payload has the record's bytes where they are too many for a message.
	Payload *Content `json:"payload,omitempty"`

	data []byte
}

// The operations of Change.
const (
	opPut    = "put"    // a file as a whole
	opAppend = "append" // bytes at the end of a file
	opPages  = "pages"  // of a database
	opMove   = "move"   // From to Path
	opDir    = "dir"    // an empty folder
	opRemove = "remove" // a file, or an empty folder
)

// Change is one change of a path of the state folder.
type Change struct {
	Op    string      `json:"op"`
	Path  string      `json:"path"`            // with slashes, relative to the state folder
	From  string      `json:"from,omitempty"`  // of a move
	Mode  fs.FileMode `json:"mode,omitempty"`  // permission bits
	MTime int64       `json:"mtime,omitempty"` // Unix nanoseconds
	Size  int64       `json:"size,omitempty"`  // of the file after the change, in bytes
	Hash  string      `json:"hash,omitempty"`  // SHA-256 of the file, of a put that is not in parts
	// Parts are the contents that follow each other in the file. A put without parts and
	// data has the content of a file with that hash which is in the folder.
	Parts []Content `json:"parts,omitempty"`
	Data  *span     `json:"data,omitempty"` // of the record's bytes
	Pages *pageSet  `json:"pages,omitempty"`
}

// span is a part of a record's bytes.
type span struct {
	At  int64 `json:"at"`
	Len int64 `json:"len"`
}

// Content names bytes in the store of contents. A name is given once: an owner whose
// successor has begun can then remove nothing that the successor names.
type Content struct {
	Name string `json:"name"`
	Hash string `json:"hash"` // SHA-256
	Size int64  `json:"size"` // in bytes
}

// add puts bytes into a record.
func (r *Record) add(b []byte) *span {
	s := &span{int64(len(r.data)), int64(len(b))}
	r.data = append(r.data, b...)
	return s
}

// bytes returns the bytes of a span.
func (r *Record) bytes(s *span) ([]byte, error) {
	if s == nil || s.At < 0 || s.Len < 0 || s.At > int64(len(r.data)) || s.Len > int64(len(r.data))-s.At {
		return nil, fmt.Errorf("%w: a record of the log names bytes that it does not have", ErrDamaged)
	}
	return r.data[s.At : s.At+s.Len], nil
}

var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(256<<10))
		if err != nil {
			panic(err) // of options that are constants
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRecord))
		if err != nil {
			panic(err)
		}
		return d
	})
)

// encode returns the record as a message: the length of its JSON as a uvarint, the JSON
// and its bytes, together as one Zstandard frame (RFC 8878).
func (r *Record) encode() ([]byte, error) {
	meta, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	b := binary.AppendUvarint(nil, uint64(len(meta)))
	b = append(append(b, meta...), r.data...)
	return encoder().EncodeAll(b, nil), nil
}

// decode reads what encode wrote.
func decode(message []byte) (*Record, error) {
	b, err := decoder().DecodeAll(message, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: a record of the log cannot be read: %w", ErrDamaged, err)
	}
	n, len64 := binary.Uvarint(b)
	if len64 <= 0 || n > uint64(len(b)-len64) {
		return nil, fmt.Errorf("%w: a record of the log ends too early", ErrDamaged)
	}
	r := &Record{}
	dec := json.NewDecoder(bytes.NewReader(b[len64 : len64+int(n)]))
	if err := dec.Decode(r); err != nil {
		return nil, fmt.Errorf("%w: a record of the log cannot be read: %w", ErrDamaged, err)
	}
	r.data = b[len64+int(n):]
	return r, nil
}
