package httpapi

import (
	"context"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"atelier/internal/lazyregexp"
)

// note collects what the layers find out about a request, for the log.
type note struct {
	id, route, user, workspace, tool string

	at string // the server that a request was passed on to; "": this one answered it
	// from says that another server passed the request on.
	from bool
	// upgraded says that the answer is a connection of another server.
	upgraded bool
}

type noteKey struct{}

func noteOf(r *http.Request) *note {
	if n, ok := r.Context().Value(noteKey{}).(*note); ok {
		return n
	}
	return &note{}
}

func requestID(r *http.Request) string    { return noteOf(r).id }
func noteRoute(r *http.Request, s string) { noteOf(r).route = s }
func noteUser(r *http.Request, s string)  { noteOf(r).user = s }
func noteTool(r *http.Request, s string)  { noteOf(r).tool = s }

func noteWorkspace(r *http.Request, s string) { noteOf(r).workspace = s }

// saneID matches a request id from the caller that is safe to log and echo.
var saneID = lazyregexp.New(`^[A-Za-z0-9._-]{1,64}$`)

// middleware wraps the routes in the outer layers.
func (s *Server) middleware(next http.Handler) http.Handler {
	return s.identified(s.logged(s.traced(s.recovered(s.crossOrigin(next)))))
}

// identified gives each request an id and echoes it (H-18).
func (s *Server) identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if !saneID.MatchString(id) {
			id = uuid.Must(uuid.NewV7()).String()
		}
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), noteKey{}, &note{id: id, from: s.opt.Places != nil && r.Header.Get(passedOn) != ""})))
	})
}

// logged writes one line for each request. It never logs the path, query,
// body, token or answer, because they may be personal data.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		cw := &countingWriter{ResponseWriter: w}
		defer func() {
			n := noteOf(r)
			if n.upgraded {
				cw.status = http.StatusSwitchingProtocols // it was written past this layer
			}
			s.opt.Figures.answered(n.route, r.Method, cw.status, time.Since(begun))
			if n.at != "" {
				s.opt.Figures.passed()
			}
			line := []any{"id", n.id, "method", r.Method, "route", n.route, "status", cw.status, "bytes", cw.bytes,
				"ms", time.Since(begun).Milliseconds(), "user", n.user, "workspace", n.workspace, "tool", n.tool}
			if n.at != "" {
				line = append(line, "at", n.at)
			}
			if n.from {
				line = append(line, "passed_on", true)
			}
			s.log.Info("request", line...)
		}()
		next.ServeHTTP(cw, r)
	})
}

// countingWriter records the status and size of the answer.
type countingWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *countingWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// recovered converts a panic to a 500 without detail (H-18) and logs the
// stack.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.log.Error("a handler panicked", "id", requestID(r), "route", noteOf(r).route, "panic", p, "stack", string(debug.Stack()))
			if cw, ok := w.(*countingWriter); ok && cw.status != 0 {
				panic(http.ErrAbortHandler) // part of the answer was sent: abort it, so that it is not taken for a complete one
			}
			s.fail(w, r, fail(http.StatusInternalServerError, codeInternal, internalMessage))
		}()
		next.ServeHTTP(w, r)
	})
}
