package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"atelier/internal/textclip"
	"atelier/workshop"
)

// MaxBody is the maximum size of a body in bytes (S-12, S-19), after
// decompression.
const MaxBody = 1 << 20

// Response is the answer of a server.
type Response struct {
	URL         string // after redirects
	Status      int
	StatusText  string // "Not Found"
	ContentType string // from the server, "" if it sends none
	Body        []byte // at most MaxBody; empty for a status of 400 and above
}

// Fetcher is how the read tool fetches pages (S-17).
type Fetcher interface {
	Fetch(ctx context.Context, uri string) (*Response, error)
}

// Deny refuses every address. It is the default (C-42).
type Deny struct{}

// Fetch returns an error.
func (Deny) Fetch(_ context.Context, uri string) (*Response, error) {
	f := workshop.Faultf(workshop.Forbidden, "cannot fetch %s: network access is disabled", briefURI(uri)).OnField("uri")
	f.Hint = "ask the user to add the page as a file"
	return nil, f
}

// Options configure HTTP; the zero value is safe.
type Options struct {
	// Allow lists blocks that may be fetched from although they are not
	// public, such as an intranet or the loopback of a test.
	Allow []netip.Prefix
	// Timeout limits one fetch with its redirects; 0 is DefaultTimeout.
	Timeout time.Duration
	// Resolve looks up a name; nil is the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// UserAgent is the User-Agent header of requests; "" is "Atelier".
	UserAgent string
}

// DefaultTimeout is the default limit of a fetch.
const DefaultTimeout = 20 * time.Second

// MaxRedirects is how many redirects a fetch follows.
const MaxRedirects = 5

const (
	maxHeaders = 64 << 10
	maxURL     = 8 << 10
)

// HTTP fetches over http and https. It is safe for concurrent use.
type HTTP struct {
	opt    Options
	client *http.Client
}

// NewHTTP returns a fetcher for public addresses.
func NewHTTP(opt Options) *HTTP {
	if opt.Timeout <= 0 {
		opt.Timeout = DefaultTimeout
	}
	if opt.UserAgent == "" {
		opt.UserAgent = "Atelier"
	}
	if opt.Resolve == nil {
		opt.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	h := &HTTP{opt: opt}
	h.client = &http.Client{
		CheckRedirect: h.redirect,
		Transport: &http.Transport{
			Proxy:                  nil, // also not from the environment: a proxy would connect to addresses that were not checked
			DialContext:            h.dial,
			ForceAttemptHTTP2:      true,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: maxHeaders,
			TLSHandshakeTimeout:    10 * time.Second,
		},
	}
	return h
}

// Through returns a copy of h whose transport is wrapped by wrap, which sees
// each redirect as a separate request.
func (h *HTTP) Through(wrap func(http.RoundTripper) http.RoundTripper) *HTTP {
	out := &HTTP{opt: h.opt}
	client := *h.client
	client.Transport = wrap(client.Transport)
	client.CheckRedirect = out.redirect
	out.client = &client
	return out
}

// refusedFault returns the fault for an address that may not be fetched.
func refusedFault(format string, args ...any) error {
	f := workshop.Faultf(workshop.Forbidden, format, args...).OnField("uri")
	f.Hint = "only public http and https addresses can be fetched"
	return f
}

// Fetch gets an address. Errors are faults: Invalid for a malformed address,
// Forbidden for a refused one. A status of 400 and above is not an error.
func (h *HTTP) Fetch(ctx context.Context, uri string) (*Response, error) {
	u, err := Parse(uri)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, h.opt.Timeout, errTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, workshop.Faultf(workshop.Invalid, "%s is not a valid address: %w", briefURI(uri), err).OnField("uri")
	}
	req.Header.Set("User-Agent", h.opt.UserAgent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,*/*;q=0.1")
	res, err := h.client.Do(req)
	if err != nil {
		return nil, h.failedFault(ctx, uri, err)
	}
	defer res.Body.Close()
	out := &Response{URL: res.Request.URL.String(), Status: res.StatusCode, ContentType: res.Header.Get("Content-Type")}
	out.StatusText = strings.TrimSpace(strings.TrimPrefix(res.Status, fmt.Sprint(res.StatusCode)))
	if out.StatusText == "" {
		out.StatusText = http.StatusText(res.StatusCode)
	}
	if res.StatusCode >= 400 {
		return out, nil
	}
	if enc := res.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return nil, workshop.Faultf(workshop.Invalid, "%s comes in the encoding %.40q, which was not asked for", briefURI(uri), enc).OnField("uri")
	}
	out.Body, err = io.ReadAll(io.LimitReader(res.Body, MaxBody+1))
	if err != nil {
		return nil, h.failedFault(ctx, uri, err)
	}
	if len(out.Body) > MaxBody {
		return nil, workshop.Faultf(workshop.Invalid, "%s is too large: it has more than %d bytes", briefURI(uri), MaxBody).OnField("uri")
	}
	return out, nil
}

var errTimeout = errors.New("no answer in time")

// failedFault converts a network error into a fault.
func (h *HTTP) failedFault(ctx context.Context, uri string, err error) error {
	var f *workshop.Fault
	var moved *Moved
	switch {
	case errors.As(err, &moved):
		return moved
	case errors.As(err, &f):
		return f
	case errors.Is(context.Cause(ctx), errTimeout):
		f = workshop.Faultf(workshop.Internal, "cannot fetch %s: no complete answer within %s", briefURI(uri), h.opt.Timeout).OnField("uri")
		f.Retryable = true
		return f
	case ctx.Err() != nil:
		return ctx.Err()
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err // its text repeats the whole address
	}
	f = workshop.Faultf(workshop.Internal, "cannot fetch %s: %w", briefURI(uri), err).OnField("uri")
	f.Retryable = true
	return f
}

// Parse accepts only addresses that all programs interpret the same way.
func Parse(uri string) (*url.URL, error) {
	invalid := func(format string, args ...any) (*url.URL, error) {
		return nil, workshop.Faultf(workshop.Invalid, "Invalid URI "+format, args...).OnField("uri")
	}
	if len(uri) > maxURL {
		return invalid("%s: it has %d bytes; %d is the most", briefURI(uri), len(uri), maxURL)
	}
	u, err := url.Parse(uri)
	if err != nil {
		return invalid("%s: it cannot be understood as an address", briefURI(uri))
	}
	if err := checkURL(u); err != nil {
		return nil, err
	}
	return u, nil
}

// checkURL checks the address and every redirect.
func checkURL(u *url.URL) error {
	host := u.Hostname()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return refusedFault("cannot fetch %s: the scheme %.20q is refused", briefURI(u.Redacted()), u.Scheme)
	case u.User != nil:
		return refusedFault("cannot fetch %s: an address with a user name is refused", briefURI(u.Redacted()))
	case host == "" || u.Opaque != "":
		return workshop.Faultf(workshop.Invalid, "Invalid URI %s: it names no host", briefURI(u.String())).OnField("uri")
	case strings.ContainsAny(host, "%\\ \t\r\n\x00"):
		return refusedFault("cannot fetch %s: the host %.60q is refused", briefURI(u.String()), host)
	case numericHost(host):
		return refusedFault("cannot fetch %s: the host %.60q is a number that is not an IP address as it is usually written", briefURI(u.String()), host)
	}
	return nil
}

func (h *HTTP) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > MaxRedirects {
		return MovedTooOften(via[0].URL.String())
	}
	req.Header.Del("Referer")
	from, to := via[len(via)-1].URL, req.URL
	if err := checkURL(to); err != nil {
		return err
	}
	switch {
	case from.Scheme == to.Scheme && HostOf(from) == HostOf(to):
		return nil
	case from.Scheme == "https" && to.Scheme == "http":
		return refusedFault("%s redirects to %s, which is not encrypted", briefURI(from.String()), briefURI(to.String()))
	}
	return &Moved{From: from, To: to}
}

// Moved is the error of a fetch that was redirected to another host, port or
// scheme. The request was not sent there. It is a *workshop.Fault.
type Moved struct{ From, To *url.URL }

// Error names the new address.
func (m *Moved) Error() string {
	return fmt.Sprintf("%s redirects to %s, which was not asked for; nothing was sent there", briefURI(m.From.String()), briefURI(m.To.String()))
}

// As converts it to a fault for tools.
func (m *Moved) As(target any) bool {
	f, ok := target.(**workshop.Fault)
	if ok {
		*f = workshop.Faultf(workshop.Forbidden, "%s", m.Error()).OnField("uri")
		(*f).Hint = "fetch that address if it is the one that is meant"
		(*f).Err = m
	}
	return ok
}

// MovedTooOften is the fault of too many redirects.
func MovedTooOften(uri string) error {
	return workshop.Faultf(workshop.Invalid, "%s redirects more than %d times", briefURI(uri), MaxRedirects).OnField("uri")
}

// HostOf returns the host of an address, with its port unless it is the
// default.
func HostOf(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		return host
	}
	return host + ":" + port
}

// dial connects only to addresses of the host that may be fetched from.
func (h *HTTP) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	addrs, err := h.lookUp(ctx, host)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: 10 * time.Second, Control: h.checkSocket}
	var last error
	for _, a := range addrs {
		if !h.allowed(a) {
			last = errors.Join(last, refusedFault("cannot fetch from %.100s: its address %s is not public", host, a.Unmap()))
			continue
		}
		conn, err := d.DialContext(ctx, network, net.JoinHostPort(a.Unmap().String(), port))
		if err == nil {
			return conn, nil
		}
		last = errors.Join(err, last)
	}
	return nil, last
}

func (h *HTTP) lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	addrs, err := h.opt.Resolve(ctx, host)
	if err == nil && len(addrs) == 0 {
		err = fmt.Errorf("the host %.100s has no address", host)
	}
	return addrs, err
}

func (h *HTTP) allowed(a netip.Addr) bool {
	return public(a) || containsAddress(a.Unmap().WithZone(""), h.opt.Allow)
}

// checkSocket checks the address of a socket just before it connects.
func (h *HTTP) checkSocket(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !h.allowed(ap.Addr()) {
		return refusedFault("cannot fetch from %.100s: the address is not public", address)
	}
	return nil
}

// briefURI shortens an address for a message.
func briefURI(uri string) string {
	uri = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(uri, "?"))
	return textclip.HeadBytes(uri, 200)
}
