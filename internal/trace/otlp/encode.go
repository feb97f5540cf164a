package otlp

import (
	"encoding/binary"
	"maps"
	"slices"

	"atelier/internal/trace"
)

// The messages of opentelemetry/proto/trace/v1 in protobuf's wire format. They are few and
// flat; the module that encodes them in general would be larger than all else here.

const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

func key(b []byte, field, kind int) []byte {
	return binary.AppendUvarint(b, uint64(field)<<3|uint64(kind))
}

func number(b []byte, field int, v uint64) []byte {
	return binary.AppendUvarint(key(b, field, wireVarint), v)
}

func text[T string | []byte](b []byte, field int, v T) []byte {
	b = binary.AppendUvarint(key(b, field, wireBytes), uint64(len(v)))
	return append(b, v...)
}

// message appends a message whose fields f appends.
func message(b []byte, field int, f func([]byte) []byte) []byte { return text(b, field, f(nil)) }

func attribute(b []byte, field int, a trace.Attr) []byte {
	return message(b, field, func(b []byte) []byte {
		b = text(b, 1, a.Key)
		return message(b, 2, func(b []byte) []byte {
			switch v := a.Value.(type) {
			case string:
				return text(b, 1, v)
			case bool:
				n := uint64(0)
				if v {
					n = 1
				}
				return number(b, 2, n)
			case int64:
				return number(b, 3, uint64(v))
			}
			return b
		})
	})
}

// The flags of a span: its trace is recorded; it is known whether the parent is remote; it is.
const (
	flagRecorded    = 1
	flagRemoteKnown = 1 << 8
	flagRemote      = 1 << 9
)

func span(b []byte, f trace.Finished) []byte {
	b = text(b, 1, f.Trace[:])
	b = text(b, 2, f.ID[:])
	flags := uint32(flagRecorded | flagRemoteKnown)
	if f.Parent != ([8]byte{}) {
		b = text(b, 4, f.Parent[:])
		if f.Remote {
			flags |= flagRemote
		}
	}
	b = text(b, 5, f.Name)
	b = number(b, 6, uint64(f.Kind))
	b = binary.LittleEndian.AppendUint64(key(b, 7, wireFixed64), uint64(f.Begun.UnixNano()))
	b = binary.LittleEndian.AppendUint64(key(b, 8, wireFixed64), uint64(f.Begun.UnixNano()+int64(f.Took)))
	for _, a := range f.Attrs {
		b = attribute(b, 9, a)
	}
	if f.Failed {
		b = message(b, 15, func(b []byte) []byte { return number(b, 3, 2) })
	}
	return binary.LittleEndian.AppendUint32(key(b, 16, wireFixed32), flags)
}

// encode is an ExportTraceServiceRequest.
func encode(resource map[string]string, version string, list []trace.Finished) []byte {
	return message(nil, 1, func(b []byte) []byte {
		b = message(b, 1, func(b []byte) []byte {
			for _, name := range slices.Sorted(maps.Keys(resource)) {
				b = attribute(b, 1, trace.Attr{Key: name, Value: resource[name]})
			}
			return b
		})
		return message(b, 2, func(b []byte) []byte {
			b = message(b, 1, func(b []byte) []byte { return text(text(b, 1, "atelier"), 2, version) })
			for _, f := range list {
				b = message(b, 2, func(b []byte) []byte { return span(b, f) })
			}
			return b
		})
	})
}

// rejected is how many spans an ExportTraceServiceResponse says were not taken. What is not
// such a message says none.
func rejected(b []byte) int64 {
	part := field(b, 1)
	n, size := binary.Uvarint(part)
	for size > 0 {
		part = part[size:]
		switch n & 7 {
		case wireVarint:
			v, size := binary.Uvarint(part)
			if size <= 0 {
				return 0
			}
			if n>>3 == 1 {
				return max(0, int64(v))
			}
			part = part[size:]
		case wireBytes:
			l, size := binary.Uvarint(part)
			if size <= 0 || uint64(len(part)-size) < l {
				return 0
			}
			part = part[size+int(l):]
		default:
			return 0
		}
		n, size = binary.Uvarint(part)
	}
	return 0
}

// field is the first field of b if it is a message with that number.
func field(b []byte, want int) []byte {
	n, size := binary.Uvarint(b)
	if size <= 0 || n != uint64(want)<<3|wireBytes {
		return nil
	}
	b = b[size:]
	l, size := binary.Uvarint(b)
	if size <= 0 || uint64(len(b)-size) < l {
		return nil
	}
	return b[size : size+int(l)]
}
