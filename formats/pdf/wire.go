package pdf

import (
	"encoding/gob"
	"errors"
	"io"
	"time"

	"atelier/formats"
)

// The operations of a worker.
const (
	opMap    = "map"
	opPages  = "pages"
	opRender = "render"
)

// job is one call, with what its operation takes.
type job struct {
	Op       string
	Name     string // of the file
	Size     int64
	Password string  // "" opens files that have none
	Key      string  // of the content, "" when it is not known
	Pages    string  // opPages
	Bytes    int     // opPages: of text, after which no further page is given; 0 is all
	Page     int     // opRender
	Scale    float64 // opRender

	until time.Time // when the program gives up; zero is after the timeout
}

// reply is the result of a job: what its operation gives, or an error.
type reply struct {
	Info    Info
	Picture Picture
	Code    formats.Code
	Message string // of the error; "" when there is none
	Last    bool   // the worker must not be used again
	Open    bool   // the worker keeps the document open for the next job
}

// message is sent over the pipes between the program and a worker; exactly one
// member is set.
type message struct {
	Start  *start    // to the worker, once: get ready
	Ready  *ready    // its answer
	Job    *job      // to the worker
	Want   *want     // from it: bytes of the file
	Bytes  *content  // to it: these
	Opened int       // from it: how many pages the document of opPages has
	Page   *pageRead // from it: one of them
	Reply  *reply    // from it: the end of the job

	secret bool // a password opened the document; not sent
}

type start struct{ CacheDir string }

type ready struct{ Failed string }

type want struct {
	Off int64
	Len int
}

type content struct {
	Data   []byte
	Failed string
}

// maxMessage bounds one message: the text of a read or a picture.
const maxMessage = 64 << 20

// wire sends and receives messages.
type wire struct {
	enc    *gob.Encoder
	dec    *gob.Decoder
	unread *io.LimitedReader
}

func newWire(in io.Reader, out io.Writer) *wire {
	room := &io.LimitedReader{R: in}
	return &wire{enc: gob.NewEncoder(out), dec: gob.NewDecoder(room), unread: room}
}

func (w *wire) send(m message) error { return w.enc.Encode(m) }

func (w *wire) receive() (m message, err error) {
	w.unread.N = maxMessage
	err = w.dec.Decode(&m)
	return m, err
}

// remote is the file of a job in a worker: its bytes come over the wire, in
// blocks, of which some are kept.
type remote struct {
	job    job
	ask    func(want) (content, error)
	blocks map[int64][]byte
}

const (
	blockSize = 64 << 10
	maxBlocks = 256
)

func (r *remote) Name() string { return r.job.Name }
func (r *remote) Size() int64  { return r.job.Size }
func (r *remote) Hash() string { return "" } // no engine asks for it

// ReadAt implements io.ReaderAt.
func (r *remote) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("negative offset")
	}
	for n < len(p) {
		at := off + int64(n)
		if at >= r.job.Size {
			return n, io.EOF
		}
		b, err := r.block(at / blockSize)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], b[at%blockSize:])
	}
	return n, nil
}

func (r *remote) block(i int64) ([]byte, error) {
	if b := r.blocks[i]; b != nil {
		return b, nil
	}
	length := int(min(blockSize, r.job.Size-i*blockSize))
	c, err := r.ask(want{Off: i * blockSize, Len: length})
	switch {
	case err != nil:
		return nil, err
	case c.Failed != "":
		return nil, errors.New(c.Failed)
	case len(c.Data) != length:
		return nil, io.ErrUnexpectedEOF
	}
	if len(r.blocks) >= maxBlocks {
		clear(r.blocks)
	}
	r.blocks[i] = c.Data
	return c.Data, nil
}
