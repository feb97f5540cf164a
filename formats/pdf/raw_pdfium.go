//go:build !purepdf

package pdf

import (
	"context"
	"encoding/binary"
	"math"
	"reflect"

	"github.com/tetratelabs/wazero/api"
)

// raw calls PDFium without the library in between, which makes up to nine calls
// of one: positions take thousands of calls a page.
type raw struct {
	d     *wasmDoc
	mod   api.Module
	funcs map[string]api.Function
	out   uint32 // memory of the module for results of one call
	stack [8]uint64
}

// rawOut is how many bytes the results of a call take at most.
const rawOut = 64

// raw returns the calls of the open document; nil if the library's insides are
// not what they were.
func (d *wasmDoc) raw() *raw {
	if d.direct != nil || d.trap != nil {
		return d.direct
	}
	m, ok := d.inside("Module").(api.Module)
	if !ok {
		return nil
	}
	r := &raw{d: d, mod: m, funcs: map[string]api.Function{}}
	p, ok := r.call("malloc", rawOut)
	if !ok || p == 0 {
		return nil
	}
	r.out, d.direct = uint32(p), r
	return r
}

// inside returns an exported member of the library's own state.
func (d *wasmDoc) inside(name string) any {
	f := d.member(name)
	if !f.IsValid() || !f.CanInterface() {
		return nil
	}
	return f.Interface()
}

func (d *wasmDoc) member(name string) reflect.Value {
	g, ok := d.in.(interface{ GetImplementation() interface{} })
	if !ok {
		return reflect.Value{}
	}
	v := reflect.Indirect(reflect.ValueOf(g.GetImplementation()))
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v.FieldByName(name)
}

// handle returns PDFium's pointer behind a reference of the library.
func (d *wasmDoc) handle(list string, ref any) (uint64, bool) {
	m := d.member(list)
	if m.Kind() != reflect.Map || m.Type().Key() != reflect.TypeOf(ref) {
		return 0, false
	}
	v := reflect.Indirect(m.MapIndex(reflect.ValueOf(ref)))
	if v.Kind() != reflect.Struct {
		return 0, false
	}
	p := reflect.Indirect(v.FieldByName("handle"))
	if p.Kind() != reflect.Uint64 || p.Uint() == 0 {
		return 0, false
	}
	return p.Uint(), true
}

// call returns the result of a function of PDFium; ok is false when there is no
// such function or PDFium ended.
func (r *raw) call(name string, args ...uint64) (result uint64, ok bool) {
	f := r.funcs[name]
	if f == nil {
		if f = r.mod.ExportedFunction(name); f == nil {
			return 0, false
		}
		r.funcs[name] = f
	}
	if r.d.trap != nil {
		return 0, false
	}
	copy(r.stack[:], args)
	if r.d.failed(f.CallWithStack(context.Background(), r.stack[:])) {
		return 0, false
	}
	return r.stack[0], true
}

// int calls a function that returns an int.
func (r *raw) int(name string, args ...uint64) int {
	n, ok := r.call(name, args...)
	if !ok {
		return -1
	}
	return int(int32(n))
}

// at is the address of byte i of the results.
func (r *raw) at(i uint32) uint64 { return uint64(r.out + i) }

// floats returns the first n results as 32-bit numbers.
func (r *raw) floats(n int) []float64 {
	b, ok := r.mod.Memory().Read(r.out, uint32(4*n))
	if !ok {
		return make([]float64, n)
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return out
}

// doubles returns the first n results as 64-bit numbers.
func (r *raw) doubles(n int) []float64 {
	b, ok := r.mod.Memory().Read(r.out, uint32(8*n))
	if !ok {
		return make([]float64, n)
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

// words32 returns the first n results as 32-bit words.
func (r *raw) words32(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i], _ = r.mod.Memory().ReadUint32Le(r.out + uint32(4*i))
	}
	return out
}
