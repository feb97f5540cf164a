package egress

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// lookup is how the name localhost is resolved.
var lookup = net.DefaultResolver.LookupNetIP

// Local reports whether host (a name or an IP address, without port) is this
// machine for certain: an address of 127.0.0.0/8, ::1, or the name localhost
// where all its addresses are such. A private address, 0.0.0.0, another spelling
// of a number (127.1, 0x7f.0.0.1) and a name below .localhost are not, since
// other people decide who answers there.
func Local(ctx context.Context, host string) bool {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Zone() == "" && a.Unmap().IsLoopback()
	}
	if host != "localhost" { // in another spelling, Go would ask a proxy of the environment for it
		return false
	}
	list, err := lookup(ctx, "ip", host)
	if err != nil || len(list) == 0 {
		return false
	}
	for _, a := range list {
		if !a.Unmap().IsLoopback() {
			return false
		}
	}
	return true
}

// OriginOf returns what consent to a host is bound to: scheme, host and port.
func OriginOf(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme) + "://" + net.JoinHostPort(host, port)
}

// PassedOn reports whether a model's name says that a server on this machine
// passes requests for it on to another: Ollama's models in the cloud have names
// that end in ":cloud" or, with a tag, in "-cloud" (gpt-oss:120b-cloud).
func PassedOn(model string) bool {
	model = strings.ToLower(model)
	return strings.HasSuffix(model, ":cloud") || strings.Contains(model, ":") && strings.HasSuffix(model, "-cloud")
}
