// Package otlptest is a collector for tests: it reads what processes send with the types of
// OpenTelemetry's protocol.
package otlptest

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a span that arrived.
type Span struct {
	Trace, ID, Parent, Name, Kind string
	Attrs, Resource               map[string]any
	Begun, Ended                  time.Time
	Failed                        bool
	Flags                         uint32
}

// Collector takes spans.
type Collector struct {
	URL string

	mu     sync.Mutex // protects what is below
	list   []Span
	raw    []byte // all that was sent, unpacked
	header http.Header
}

// New starts one for a test.
func New(t testing.TB) *Collector {
	c := &Collector{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.take(r); err != nil {
			t.Errorf("a collector cannot read what was sent: %v", err)
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}))
	t.Cleanup(s.Close)
	c.URL = s.URL
	return c
}

func (c *Collector) take(r *http.Request) error {
	in := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if in, err = gzip.NewReader(in); err != nil {
			return err
		}
	}
	b, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var m collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(b, &m); err != nil {
		return err
	}
	if n := len(m.ProtoReflect().GetUnknown()); n > 0 || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		return io.ErrUnexpectedEOF
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.header, c.raw = r.Header.Clone(), append(c.raw, b...)
	for _, rs := range m.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			for _, s := range ss.GetSpans() {
				c.list = append(c.list, Span{Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()), Name: s.GetName(), Kind: s.GetKind().String(),
					Attrs: values(s.GetAttributes()), Resource: values(rs.GetResource().GetAttributes()), Begun: time.Unix(0, int64(s.GetStartTimeUnixNano())), Ended: time.Unix(0, int64(s.GetEndTimeUnixNano())),
					Failed: s.GetStatus().GetCode().String() == "STATUS_CODE_ERROR", Flags: s.GetFlags()})
			}
		}
	}
	return nil
}

func values(list []*common.KeyValue) map[string]any {
	out := map[string]any{}
	for _, kv := range list {
		switch v := kv.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			out[kv.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			out[kv.GetKey()] = v.IntValue
		case *common.AnyValue_BoolValue:
			out[kv.GetKey()] = v.BoolValue
		default:
			out[kv.GetKey()] = nil
		}
	}
	return out
}

// All are the spans so far.
func (c *Collector) All() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.list)
}

// Raw is all that was sent so far.
func (c *Collector) Raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.raw)
}

// Header is that of the last request.
func (c *Collector) Header() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.header
}

// Wait waits for n spans and returns them by name.
func (c *Collector) Wait(t testing.TB, n int) map[string]Span {
	t.Helper()
	require.Eventually(t, func() bool { return len(c.All()) >= n }, 10*time.Second, 10*time.Millisecond)
	out := map[string]Span{}
	for _, s := range c.All() {
		out[s.Name] = s
	}
	return out
}

// Find waits until a span is there that f finds.
func (c *Collector) Find(t testing.TB, what string, f func(Span) bool) Span {
	t.Helper()
	var found Span
	if !eventually(func() bool {
		for _, s := range c.All() {
			if f(s) {
				found = s
				return true
			}
		}
		return false
	}) {
		var names []string
		for _, s := range c.All() {
			names = append(names, s.Name)
		}
		require.FailNow(t, "no span: "+what, "there are: %s", strings.Join(names, ", "))
	}
	return found
}

func eventually(f func() bool) bool {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if f() {
			return true
		}
	}
	return false
}

// Rejects is the answer of a collector that did not take so many spans.
func Rejects(t testing.TB, n int64, why string) []byte {
	b, err := proto.Marshal(&collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: n, ErrorMessage: why}})
	require.NoError(t, err)
	return b
}
