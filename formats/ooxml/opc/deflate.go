package opc

import (
	"io"
	"sync"

	kflate "github.com/klauspost/compress/flate"
)

// deflaters are kept for reuse, by level: making one takes longer than
// compressing a slide with it, since it has 0.6 to 1.2 MB of tables.
var deflaters sync.Map // level → *sync.Pool of *kflate.Writer

// newDeflater returns the compressor of an entry. What it writes depends on
// nothing that it compressed before.
func newDeflater(w io.Writer, level int) (*pooledDeflater, error) {
	kept, _ := deflaters.LoadOrStore(level, &sync.Pool{})
	pool := kept.(*sync.Pool)
	if z, ok := pool.Get().(*kflate.Writer); ok {
		z.Reset(w)
		return &pooledDeflater{z, pool}, nil
	}
	z, err := kflate.NewWriter(w, level)
	if err != nil {
		return nil, err
	}
	return &pooledDeflater{z, pool}, nil
}

type pooledDeflater struct {
	z    *kflate.Writer // nil once closed
	pool *sync.Pool
}

func (p *pooledDeflater) Write(b []byte) (int, error) {
	if p.z == nil {
		return 0, io.ErrClosedPipe
	}
	return p.z.Write(b)
}

// Flush implements [seekflate.Deflater].
func (p *pooledDeflater) Flush() error {
	if p.z == nil {
		return io.ErrClosedPipe
	}
	return p.z.Flush()
}

func (p *pooledDeflater) Close() error {
	if p.z == nil {
		return nil
	}
	err := p.z.Close()
	if err == nil { // one that failed is not used again
		p.z.Reset(nil) // it holds on to no package
		p.pool.Put(p.z)
	}
	p.z = nil
	return err
}
