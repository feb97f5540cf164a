package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"atelier/engine"
	"atelier/ipc/accounts"
	"atelier/ipc/ui"
	"atelier/ipc/ws"
	"atelier/workshop"
)

// page serves the page of package ui to the users of the server. A user signs in
// with an access token, which makes a session; the WebSocket of a session has the
// methods that its user may call.
type page struct {
	s        *Server
	files    *ui.Files
	sessions *sessions
	socket   *ws.Handler
	shares   *shares  // connections of users
	others   places   // connections without a session, until they are refused
	hosts    []string // of Options.PageOrigins
	instance string   // of this process
}

const (
	pageCookie = "atelier_session"
	signInMost = 16 << 10 // bytes of the body with a token
)

func newPage(s *Server) (*page, error) {
	files, err := ui.UserFiles()
	if err != nil {
		return nil, err
	}
	p := &page{s: s, files: files, sessions: newSessions(s.opt.Now, s.opt.Sessions), shares: newShares(s.opt.MaxStreams), others: newPlaces(32, 0), instance: uuid.NewString()}
	for _, o := range s.opt.PageOrigins {
		u, err := url.Parse(o)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Scheme+"://"+u.Host != o {
			return nil, fmt.Errorf("%q is not an origin such as https://atelier.example.org", o)
		}
		p.hosts = append(p.hosts, u.Host)
	}
	if s.opt.Places != nil { // other servers pass connections on to this address
		if u, err := url.Parse(s.opt.Places.Self().Address); err == nil {
			p.hosts = append(p.hosts, u.Host)
		}
	}
	p.socket = ws.New(s.opt.Engine, ws.Options{Log: s.log, Connections: s.opt.MaxStreams, Admit: p.admit})
	return p, nil
}

// handle adds the routes of the page.
func (p *page) handle(mux *http.ServeMux) {
	for _, path := range p.files.Paths() {
		if path == "/" {
			path = "/{$}"
		}
		mux.Handle("GET "+path, p.guard(path, p.files.ServeHTTP))
	}
	mux.Handle("POST /session", p.guard("/session", p.own(p.signIn)))
	mux.Handle("POST /session/end", p.guard("/session/end", p.own(p.signOut)))
	mux.Handle("GET /session/ws", p.guard("/session/ws", p.own(p.connect)))
}

// guard refuses requests at another host than the page's, and protects answers.
func (p *page) guard(route string, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noteRoute(r, route)
		socket := "'self'"
		if p.ownHost(r) {
			socket = "ws://" + r.Host + " wss://" + r.Host
		}
		ui.Protect(w.Header(), socket)
		if !p.ownHost(r) {
			p.refuse(w, r, http.StatusMisdirectedRequest, "this address is not the page's: start the server with --ui-origin and the origin at which the page is opened")
			return
		}
		next(w, r)
	})
}

// own refuses what another page asks for. Browsers send Origin with every POST and
// every WebSocket.
func (p *page) own(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if origin != "http://"+r.Host && origin != "https://"+r.Host {
			p.refuse(w, r, http.StatusForbidden, "another origin")
			return
		}
		next(w, r)
	}
}

// ownHost reports whether a request names an origin of the page, this machine, or
// the address that it came to.
func (p *page) ownHost(r *http.Request) bool {
	if slices.Contains(p.hosts, r.Host) {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if local == nil {
		return false
	}
	port := fmt.Sprint(local.Port)
	return r.Host == net.JoinHostPort(local.IP.String(), port) || local.IP.IsLoopback() && r.Host == "localhost:"+port
}

func (p *page) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	p.s.opt.Figures.refused(codeOf(status))
	p.s.log.Info("the page refused a request", "id", requestID(r), "route", noteOf(r).route, "status", status, "why", why)
	http.Error(w, why, status)
}

// signIn is POST /session: it makes a session of a token, and the cookie of it.
func (p *page) signIn(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Token string `json:"token"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, signInMost)).Decode(&body); err != nil || body.Token == "" {
		p.refuse(w, r, http.StatusBadRequest, "Type a token.")
		return
	}
	claims, err := p.s.opt.Tokens.read(strings.TrimSpace(body.Token))
	if err != nil {
		p.refuse(w, r, http.StatusUnauthorized, err.Error())
		return
	}
	user, why, err := p.user(r.Context(), claims)
	if err != nil {
		p.s.log.Error("a user cannot sign in", "id", requestID(r), "err", err)
		http.Error(w, internalMessage, http.StatusInternalServerError)
		return
	}
	if why != "" {
		p.refuse(w, r, http.StatusUnauthorized, why)
		return
	}
	noteUser(r, user.ID)
	if err := p.s.rates.allow(w, user.ID); err != nil {
		p.refuse(w, r, http.StatusTooManyRequests, err.Error())
		return
	}
	cookie, err := p.sessions.add(r.Context(), claims)
	if err != nil {
		p.s.log.Error("a session cannot be kept", "id", requestID(r), "err", err)
		retryAfter(w, time.Second)
		http.Error(w, "The servers that keep the sessions do not answer; try again.", http.StatusServiceUnavailable)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: pageCookie, Value: cookie, Path: "/session", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: strings.HasPrefix(r.Header.Get("Origin"), "https:"), MaxAge: max(1, int(claims.expires.Sub(p.s.opt.Now())/time.Second))})
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
}

// user looks up the user of a token; why says why the token does not count.
func (p *page) user(ctx context.Context, c tokenClaims) (u accounts.User, why string, err error) {
	u, err = p.s.opt.Accounts.User(ctx, c.user)
	switch {
	case workshop.IsFault(err, workshop.NotFound):
		return u, "Invalid token: its user is unknown", nil
	case err == nil && c.taken(u):
		return u, revokedMessage, nil
	}
	return u, "", err
}

// signOut is POST /session/end: it ends the session and its connections.
func (p *page) signOut(w http.ResponseWriter, r *http.Request) {
	if err := p.sessions.end(r.Context(), sessionCookie(r)); err != nil {
		p.s.log.Error("a session was not ended everywhere", "id", requestID(r), "err", err)
		retryAfter(w, time.Second)
		http.Error(w, "The servers that keep the sessions do not answer: you may still be signed in. Try again.", http.StatusServiceUnavailable)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: pageCookie, Path: "/session", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: -1})
	w.WriteHeader(http.StatusNoContent)
}

func sessionCookie(r *http.Request) string {
	if c, err := r.Cookie(pageCookie); err == nil {
		return c.Value
	}
	return ""
}

// connect is GET /session/ws. A quarter of all connections is the most that a user
// may have. Without a session the connection is made and refused by admit, since
// browsers do not tell a page the status of a refused request.
func (p *page) connect(w http.ResponseWriter, r *http.Request) {
	of, err := p.sessions.find(r.Context(), sessionCookie(r))
	if err != nil {
		p.s.log.Warn("sessions are not known now", "id", requestID(r), "err", err)
		p.refuse(w, r, http.StatusServiceUnavailable, "the servers that keep the sessions do not answer")
		return
	}
	if of == nil {
		leave, err := p.others.take(r.Context(), w)
		if err != nil {
			p.refuse(w, r, http.StatusServiceUnavailable, "too many connections")
			return
		}
		defer leave()
		p.socket.ServeHTTP(w, r)
		return
	}
	noteUser(r, of.claims.user)
	leave, err := p.shares.take(w, of.claims.user)
	if err != nil {
		p.refuse(w, r, http.StatusTooManyRequests, "too many connections")
		return
	}
	defer leave()
	p.connectPlaced(w, r, of)
}

// admit lets the connection of a session in. It ends with the session, and when
// the user may no longer use a workspace that it follows.
func (p *page) admit(ctx context.Context, r *http.Request, x ws.Exchange) (ws.Admitted, error) {
	of, err := p.sessions.find(ctx, sessionCookie(r))
	if err != nil {
		return ws.Admitted{}, errors.Join(ws.ErrConnectAgain, err)
	}
	if of == nil {
		return ws.Admitted{}, errNoSession
	}
	user, why, err := p.user(ctx, of.claims)
	if err != nil {
		return ws.Admitted{}, errors.Join(ws.ErrConnectAgain, err)
	}
	if why != "" {
		p.sessions.drop(of)
		return ws.Admitted{}, errNoSession
	}
	until, stop := context.WithCancelCause(of.ended)
	c := &pageCalls{p: p, of: of, user: user, follows: map[string]bool{}, stop: stop, ws: ownedOf(r.Context())}
	go c.watch(until, r.Context())
	hello := map[string]any{"instance": p.instance, "version": engine.Version, "user": map[string]string{"email": user.Email, "full_name": user.FullName}}
	in := ws.Admitted{Calls: c, Until: until}
	if p.s.placing != nil {
		hello["placed"] = true
	}
	if c.ws != nil {
		in.Before = c.ws.Commit
		go c.leaves(until)
	}
	return in, x.Send(hello)
}
