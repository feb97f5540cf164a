package ui

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"atelier/engine"
	"atelier/ipc/ws"
)

// Options configure a Server.
type Options struct {
	Log         *slog.Logger
	Folder      string // that the page shows first; "" lets the person choose
	WorkbenchID string // of Folder
	// Drain is how long calls in progress may continue after the context of
	// Serve is done.
	Drain time.Duration
	// Hurry, when closed, ends that time early; it may be nil.
	Hurry <-chan struct{}
	WS    ws.Options // Log and Admit are set here
}

// Server serves the page and its WebSocket.
type Server struct {
	id       *Identity
	listener *Listener
	opt      Options
	assets   map[string]*asset
	ws       *ws.Handler
	instance string // of this process

	mu    sync.Mutex // protects token
	token string     // lets one browser in; "" when it was used
	used  chan struct{}
}

// New makes a server with a token that was not used.
func New(eng *engine.Engine, id *Identity, l *Listener, opt Options) (*Server, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	assets, err := readAssets(false)
	if err != nil {
		return nil, err
	}
	s := &Server{id: id, listener: l, opt: opt, assets: assets, instance: randomHex(8), token: randomHex(32), used: make(chan struct{})}
	opt.WS.Log, opt.WS.Admit = opt.Log, s.admit
	s.ws = ws.New(eng, opt.WS)
	return s, nil
}

// Address is that of the page with the token. It lets one browser in, once. The
// token is behind "#", which browsers send to nobody.
func (s *Server) Address() string { return "http://" + s.id.Host() + "/#" + s.currentToken() }

// PlainAddress is Address for browsers that do not find names below localhost.
func (s *Server) PlainAddress() string {
	return "http://" + s.listener.host + "/#" + s.currentToken()
}

// Used is closed when the token was used.
func (s *Server) Used() <-chan struct{} { return s.used }

func (s *Server) currentToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// Serve answers until ctx is done and calls in progress have ended.
func (s *Server) Serve(ctx context.Context) error {
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(s.opt.Log.Handler(), slog.LevelDebug)}
	failed := make(chan error, len(s.listener.all))
	for _, l := range s.listener.all {
		go func() { failed <- srv.Serve(l) }()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	grace, cancel := context.WithTimeout(context.Background(), max(s.opt.Drain, time.Millisecond))
	defer cancel()
	go func() {
		select {
		case <-s.opt.Hurry:
			cancel()
		case <-grace.Done():
		}
	}()
	for _, l := range s.listener.all {
		l.Close() // nobody comes in while calls end
	}
	if werr := s.ws.Shutdown(grace); werr != nil {
		s.opt.Log.Warn("calls in progress were canceled", "err", werr)
	}
	srv.Close()
	return err
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Protect(w.Header(), "ws://"+cspHost(r.Host))
	if !s.ownHost(r) {
		refuse(w, r, s.opt.Log, http.StatusMisdirectedRequest, "this address is not the page's: open the one that atelier ui printed")
		return
	}
	if a := s.assets[r.URL.Path]; a != nil {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			refuse(w, r, s.opt.Log, http.StatusMethodNotAllowed, "only GET")
			return
		}
		a.serve(w, r)
		return
	}
	var call func(http.ResponseWriter, *http.Request)
	switch r.URL.Path {
	case "/alive": // for the file that opens the browser: whether it finds the page's name, which nobody can guess
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		w.WriteHeader(http.StatusNoContent)
		return
	case "/hello":
		call = s.hello
	case "/session":
		call = s.enter
	case "/session/ws":
		if !sameOrigin(r) {
			refuse(w, r, s.opt.Log, http.StatusForbidden, "another origin")
			return
		}
		if s.named(r) && !s.id.hasCookie(cookieOf(r)) {
			refuse(w, r, s.opt.Log, http.StatusUnauthorized, "no session")
			return
		}
		s.ws.ServeHTTP(w, r)
		return
	default:
		refuse(w, r, s.opt.Log, http.StatusNotFound, "there is no such page")
		return
	}
	switch {
	case r.Method != http.MethodPost:
		refuse(w, r, s.opt.Log, http.StatusMethodNotAllowed, "only POST")
	case !sameOrigin(r):
		refuse(w, r, s.opt.Log, http.StatusForbidden, "another origin")
	default:
		call(w, r)
	}
}

// Protect sets what holds for every answer of a page's server: nothing foreign is
// loaded, embedded or told. socket is the origin of the page's WebSocket.
func Protect(h http.Header, socket string) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self' "+socket+
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=()")
}

// cspHost keeps a host out of the policy that is no plain name or address.
func cspHost(host string) string {
	for _, c := range host {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != ':' && c != '-' && c != '[' && c != ']' {
			return "localhost"
		}
	}
	return host
}

func refuse(w http.ResponseWriter, r *http.Request, log *slog.Logger, status int, why string) {
	log.Info("a request was refused", "path", r.URL.Path, "host", r.Host, "origin", r.Header.Get("Origin"), "status", status)
	http.Error(w, why, status)
}

// named reports whether the page was opened at its name, where it has a cookie.
func (s *Server) named(r *http.Request) bool { return r.Host == s.id.Host() }

// ownHost reports whether a request names the page: by its name, or by the IP
// address that it came to. No other site can have a name that is an address.
func (s *Server) ownHost(r *http.Request) bool {
	if s.named(r) || r.Host == s.listener.host {
		return true
	}
	if s.listener.local {
		return false
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return local != nil && r.Host == net.JoinHostPort(local.IP.String(), fmt.Sprint(local.Port))
}

// sameOrigin reports whether the page itself called. Browsers send Origin with
// every POST and WebSocket.
func sameOrigin(r *http.Request) bool { return r.Header.Get("Origin") == "http://"+r.Host }

const cookieName = "atelier"

func cookieOf(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	return c.Value
}

// readBody decodes a small JSON object.
func readBody(r *http.Request, v any) error {
	return json.NewDecoder(io.LimitReader(r.Body, 4<<10)).Decode(v)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(v) // an error means that the browser is gone
}

// enter makes a session for who has the token.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	var p struct {
		Token string `json:"token"`
	}
	if err := readBody(r, &p); err != nil || p.Token == "" {
		refuse(w, r, s.opt.Log, http.StatusBadRequest, "a token is missing")
		return
	}
	s.mu.Lock()
	ok := s.token != "" && subtle.ConstantTimeCompare([]byte(p.Token), []byte(s.token)) == 1
	if ok {
		s.token = ""
		close(s.used)
	}
	s.mu.Unlock()
	if !ok {
		refuse(w, r, s.opt.Log, http.StatusForbidden, "this address was used already, or is of an earlier start: start atelier ui again for a new one")
		return
	}
	made, cookie, err := s.id.admit(s.named(r))
	if err != nil {
		s.opt.Log.Error("the session could not be stored", "err", err)
		http.Error(w, "the session could not be stored: "+err.Error(), http.StatusInternalServerError)
		return
	}
	if cookie != "" {
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: cookie, Path: "/session", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(sessionLife / time.Second)})
	}
	answer(w, map[string]any{"session": made.ID, "key": made.Key})
}

// hello proves the server to a page, before the browser sends the cookie.
func (s *Server) hello(w http.ResponseWriter, r *http.Request) {
	var p struct {
		Session string `json:"session"`
		Nonce   string `json:"nonce"`
	}
	if err := readBody(r, &p); err != nil || !validNonce(p.Nonce) {
		refuse(w, r, s.opt.Log, http.StatusBadRequest, "session and nonce are missing")
		return
	}
	of, ok := s.id.session(p.Session)
	if !ok {
		refuse(w, r, s.opt.Log, http.StatusUnauthorized, "no session")
		return
	}
	answer(w, map[string]string{"proof": prove(of.Key, roleServer, r.Host, p.Nonce)})
}

var errNoSession = errors.New("no session")

// admit is the beginning of a WebSocket: server and page prove that they have
// the session's key.
func (s *Server) admit(_ context.Context, r *http.Request, x ws.Exchange) (ws.Admitted, error) {
	nonce := newNonce()
	if err := x.Send(map[string]string{"nonce": nonce}); err != nil {
		return ws.Admitted{}, err
	}
	var p struct {
		Session string `json:"session"`
		Nonce   string `json:"nonce"`
		Proof   string `json:"proof"`
		Key     []byte `json:"key"` // instead of a proof where the browser can make none: over plain HTTP from another machine
	}
	if err := x.Receive(&p); err != nil {
		return ws.Admitted{}, err
	}
	of, ok := s.id.session(p.Session)
	switch {
	case !ok || of.Cookie != "" && hashOf(cookieOf(r)) != of.Cookie || s.named(r) != (of.Cookie != ""):
		return ws.Admitted{}, errNoSession
	case p.Proof == "" && !s.listener.local && !s.named(r):
		if subtle.ConstantTimeCompare(p.Key, of.Key) != 1 {
			return ws.Admitted{}, errNoSession
		}
	case !validNonce(p.Nonce) || !proven(p.Proof, of.Key, rolePage, r.Host, nonce, p.Nonce):
		return ws.Admitted{}, errNoSession
	}
	return ws.Admitted{}, x.Send(map[string]any{"proof": prove(of.Key, roleServer, r.Host, p.Nonce, nonce), "instance": s.instance,
		"version": engine.Version, "workbench_id": s.opt.WorkbenchID, "folder": s.opt.Folder})
}
