package httpapi

import (
	"net/http"
	"slices"

	"atelier/internal/trace"
)

// methods are those that figures and spans name; a caller can send any other word.
var methods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"}

// traced makes a span of each request, in the trace of the caller or of the server that
// passed it on. Like the log it never has the path, query, body, token or answer.
func (s *Server) traced(next http.Handler) http.Handler {
	if s.opt.Tracer == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := trace.Continue(s.opt.Tracer.Into(r.Context()), r.Header.Get("Traceparent"))
		ctx, span := trace.StartKind(ctx, trace.Server, "request")
		cw, ok := w.(*countingWriter)
		defer func() {
			n := noteOf(r)
			method := r.Method
			if !slices.Contains(methods, method) {
				method = "_OTHER"
			}
			span.Name(method)
			if n.route != "" {
				span.Name(method + " " + n.route)
			}
			status := http.StatusSwitchingProtocols
			if !n.upgraded && ok {
				status = cw.status
			}
			if status == 0 {
				status = 499 // the client left before there was an answer
			}
			span.Set(trace.String("http.request.method", method), trace.String("http.route", n.route), trace.Int("http.response.status_code", status), trace.String("atelier.request.id", n.id))
			if n.workspace != "" {
				span.Set(trace.String("atelier.workspace.id", n.workspace))
			}
			if n.at != "" {
				span.Set(trace.String("atelier.answered_by", n.at))
			}
			if n.from {
				span.Set(trace.Bool("atelier.passed_on", true))
			}
			if status >= 500 {
				span.Fail(codeOf(status))
			}
			span.End()
		}()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
