package web

import (
	"net/netip"
	"strconv"
	"strings"
)

// special are the IPv4 blocks that are not public (IANA IPv4 Special-Purpose
// Address Registry, RFC 6890), and addresses inside public blocks at which
// cloud hosts serve their own metadata.
var special = prefixes(`
	0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
	192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
	168.63.129.16/32`)

// global is the only block of IPv6 with public addresses (RFC 4291, 2.4).
// special6 are its parts that are not public or that embed another address:
// protocol assignments with Teredo, documentation, 6to4.
var (
	global   = netip.MustParsePrefix("2000::/3")
	special6 = prefixes("2001::/23 2001:db8::/32 2002::/16 3fff::/20")
)

func prefixes(s string) []netip.Prefix {
	var out []netip.Prefix
	for _, f := range strings.Fields(s) {
		out = append(out, netip.MustParsePrefix(f))
	}
	return out
}

// public reports whether an address is on the public internet. An IPv4
// address in IPv6 form counts as IPv4.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return !containsAddress(a, special)
	}
	return global.Contains(a) && !containsAddress(a, special6)
}

func containsAddress(a netip.Addr, ps []netip.Prefix) bool {
	for _, p := range ps {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// numericHost reports whether a host is a number in another notation than a
// dotted quad: 2130706433, 0x7f.1, 0177.0.0.1, 127.1. Programs interpret
// these differently (WHATWG URL, "ends in a number checker"), so they are
// refused.
func numericHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	last := strings.TrimSuffix(host, ".")
	last = last[strings.LastIndexByte(last, '.')+1:]
	if last == "" {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(strings.ToLower(last), "0x")
	if !ok {
		return false
	}
	_, err := strconv.ParseUint(hex, 16, 64)
	return hex == "" || err == nil
}
