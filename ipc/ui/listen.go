package ui

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// Listener has the sockets of a page: one, or one for each loopback address.
type Listener struct {
	all   []net.Listener
	host  string // IP address and port that a browser can open without the page's name
	local bool   // only this machine can connect
	moved bool   // the page had another address before
}

// Moved reports whether another program has the port that the page had.
func (l *Listener) Moved() bool { return l.moved }

// Local reports whether only this machine can connect.
func (l *Listener) Local() bool { return l.local }

// Close closes the sockets.
func (l *Listener) Close() (err error) {
	for _, one := range l.all {
		err = errors.Join(err, one.Close())
	}
	return err
}

// Listen opens the sockets of a page. addr is host:port or host; "" means both
// loopback addresses with the page's earlier port, or another one where that is
// taken. A port that addr names must be free.
func Listen(id *Identity, addr string) (*Listener, error) {
	host, port := "", 0
	if addr != "" {
		h, p, err := net.SplitHostPort(addr)
		if err != nil {
			h, p = addr, "0"
		}
		if port, err = strconv.Atoi(p); err != nil || port < 0 || port > 65535 {
			return nil, fmt.Errorf("%q is no address: give host:port, such as 127.0.0.1:8321", addr)
		}
		host = h
	}
	old := id.port()
	if port == 0 && old != 0 {
		if l, err := listenAt(host, old); err == nil {
			return l, nil
		}
	}
	l, err := listenAt(host, port)
	for range 8 { // a port that is free on one loopback address may be taken on the other
		if err == nil || port != 0 || !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
		l, err = listenAt(host, port)
	}
	if err != nil {
		return nil, err
	}
	l.moved = old != 0 && l.port() != old
	if err := id.move(l.port()); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Listener) port() int { return l.all[0].Addr().(*net.TCPAddr).Port }

// listenAt opens one address, or with host "" both of loopback: browsers may try
// either for a name below localhost.
func listenAt(host string, port int) (*Listener, error) {
	at := host
	if at == "" || at == "localhost" {
		at = "127.0.0.1"
	}
	first, err := net.Listen("tcp", net.JoinHostPort(at, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	tcp := first.Addr().(*net.TCPAddr)
	l := &Listener{all: []net.Listener{first}, local: tcp.IP.IsLoopback(), host: net.JoinHostPort(tcp.IP.String(), strconv.Itoa(tcp.Port))}
	if tcp.IP.IsUnspecified() {
		l.host = net.JoinHostPort(reachable(), strconv.Itoa(tcp.Port))
	}
	if host != "" && host != "localhost" {
		return l, nil
	}
	second, err := net.Listen("tcp6", net.JoinHostPort("::1", strconv.Itoa(tcp.Port)))
	switch {
	case err == nil:
		l.all = append(l.all, second)
	case errors.Is(err, syscall.EADDRINUSE):
		first.Close()
		return nil, err
	} // else this machine has no IPv6
	return l, nil
}

// reachable returns an address of this machine that other machines may reach,
// 127.0.0.1 where it has none.
func reachable() string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return "127.0.0.1"
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	return "127.0.0.1"
}
