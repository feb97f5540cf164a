package otlp

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Settings are what the environment says.
type Settings struct {
	Endpoint  string
	Headers   http.Header
	Timeout   time.Duration // of one request
	Gzip      bool
	TLS       *tls.Config // nil: the system's certificates
	Delay     time.Duration
	Queue     int // spans that wait
	Batch     int // spans of one request
	Service   string
	Resource  map[string]string
	Sample    func(id [16]byte, remote, recorded bool) bool
	Propagate bool // traceparent goes to other servers and comes from callers
}

// FromEnv reads the variables of OpenTelemetry. It returns nil if they do not ask for traces
// of this process; why says what cannot be used, and then nothing is sent. Values that are
// merely wrong are replaced by the default, as OpenTelemetry wants it, and are in problems.
func FromEnv(getenv func(string) string) (set *Settings, problems []string, why error) {
	r := &reader{get: func(name string) string { return strings.TrimSpace(getenv(name)) }}
	exporter := r.get("OTEL_TRACES_EXPORTER")
	endpoint := cmp.Or(r.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), r.get("OTEL_EXPORTER_OTLP_ENDPOINT"))
	switch {
	case strings.EqualFold(r.get("OTEL_SDK_DISABLED"), "true"), exporter == "none", exporter == "" && endpoint == "":
		return nil, nil, nil
	case exporter != "" && exporter != "otlp":
		return nil, nil, fmt.Errorf("OTEL_TRACES_EXPORTER=%s is not known here: use otlp", exporter)
	}
	if p := r.of("PROTOCOL"); p != "" && p != "http/protobuf" {
		return nil, nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL=%s is not spoken here: use http/protobuf, and the collector's address for it (its port is usually 4318)", p)
	}
	set = &Settings{Service: "atelier", Resource: map[string]string{}}
	if set.Endpoint, why = address(r); why != nil {
		return nil, nil, why
	}
	set.Headers = http.Header{}
	for name, value := range r.pairs(r.name("HEADERS")) {
		set.Headers.Set(name, value)
	}
	set.Timeout = r.millis(r.name("TIMEOUT"), 10*time.Second)
	switch c := r.of("COMPRESSION"); c {
	case "", "none":
	case "gzip":
		set.Gzip = true
	default:
		r.wrong(r.name("COMPRESSION"), "gzip or none")
	}
	if set.TLS, why = certificates(r); why != nil {
		return nil, nil, why
	}
	set.Delay = r.millis("OTEL_BSP_SCHEDULE_DELAY", 5*time.Second)
	set.Queue = r.number("OTEL_BSP_MAX_QUEUE_SIZE", 2048, 1<<16)
	set.Batch = min(r.number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, 1<<14), set.Queue)
	for name, value := range r.pairs("OTEL_RESOURCE_ATTRIBUTES") {
		set.Resource[name] = value
	}
	set.Service = cmp.Or(r.get("OTEL_SERVICE_NAME"), set.Resource["service.name"], set.Service)
	delete(set.Resource, "service.name")
	set.Sample = sampler(r)
	p := r.get("OTEL_PROPAGATORS")
	set.Propagate = p == "" || strings.Contains(p, "tracecontext")
	return set, r.problems, nil
}

// reader reads variables.
type reader struct {
	get      func(string) string
	problems []string
}

// name is that of a variable of the exporter: the one for traces counts before the one for
// all signals.
func (r *reader) name(what string) string {
	if name := "OTEL_EXPORTER_OTLP_TRACES_" + what; r.get(name) != "" {
		return name
	}
	return "OTEL_EXPORTER_OTLP_" + what
}

func (r *reader) of(what string) string { return r.get(r.name(what)) }

// wrong notes a value that is not used. It may be a secret that is in the wrong variable.
func (r *reader) wrong(name, wanted string) {
	r.problems = append(r.problems, name+" is not "+wanted+"; the default is used")
}

func (r *reader) millis(name string, usual time.Duration) time.Duration {
	return time.Duration(r.number(name, int(usual.Milliseconds()), 10*60*1000)) * time.Millisecond
}

func (r *reader) number(name string, usual, most int) int {
	text := r.get(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		r.wrong(name, fmt.Sprintf("a whole number from 1 to %d", most))
		return usual
	}
	return n
}

// pairs reads name=value,name=value; names and values are encoded as in URLs.
func (r *reader) pairs(name string) map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq(r.get(name), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		key, err := url.PathUnescape(strings.TrimSpace(key))
		value, err2 := url.PathUnescape(strings.TrimSpace(value))
		if !ok || key == "" || errors.Join(err, err2) != nil {
			r.wrong(name, "name=value,name=value")
			continue
		}
		out[key] = value
	}
	return out
}

// address is where spans are posted to.
func address(r *reader) (string, error) {
	name, add := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ""
	if r.get(name) == "" {
		name, add = "OTEL_EXPORTER_OTLP_ENDPOINT", "/v1/traces"
	}
	u, err := url.Parse(cmp.Or(r.get(name), "http://localhost:4318"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%s is not an address such as http://collector:4318", name)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + add
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), nil
}

// certificates are those of the collector and of this process.
func certificates(r *reader) (*tls.Config, error) {
	ca, cert, key := r.of("CERTIFICATE"), r.of("CLIENT_CERTIFICATE"), r.of("CLIENT_KEY")
	if ca == "" && cert == "" && key == "" {
		return nil, nil
	}
	conf := &tls.Config{}
	if ca != "" {
		b, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name("CERTIFICATE"), err)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(b) {
			return nil, fmt.Errorf("%s: %s has no certificate in PEM", r.name("CERTIFICATE"), ca)
		}
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", r.name("CLIENT_CERTIFICATE"), r.name("CLIENT_KEY"), err)
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	return conf, nil
}

// sampler decides which traces are recorded; nil: those that the other process records, and
// all that begin here.
func sampler(r *reader) func(id [16]byte, remote, recorded bool) bool {
	name := r.get("OTEL_TRACES_SAMPLER")
	of, parent := strings.CutPrefix(name, "parentbased_")
	var here func(id [16]byte) bool
	switch of {
	case "always_on":
		here = func([16]byte) bool { return true }
	case "always_off":
		here = func([16]byte) bool { return false }
	case "traceidratio":
		ratio := 1.0
		if text := r.get("OTEL_TRACES_SAMPLER_ARG"); text != "" {
			f, err := strconv.ParseFloat(text, 64)
			if err != nil || !(f >= 0 && f <= 1) {
				r.wrong("OTEL_TRACES_SAMPLER_ARG", "a number from 0 to 1")
			} else {
				ratio = f
			}
		}
		bound := uint64(ratio * math.MaxInt64) // as the SDKs do: the last 8 bytes of the id, without their first bit
		here = func(id [16]byte) bool { return ratio >= 1 || binary.BigEndian.Uint64(id[8:])>>1 < bound }
	case "":
		return nil
	default:
		r.wrong("OTEL_TRACES_SAMPLER", "always_on, always_off, traceidratio, or one of them after parentbased_")
		return nil
	}
	return func(id [16]byte, remote, recorded bool) bool {
		if parent && remote {
			return recorded
		}
		return here(id)
	}
}
