package httpapi

import (
	"net/http"
	"slices"
)

// crossOrigin allows pages of the configured origins to call (Fetch standard,
// section 3.2). Without such origins it adds nothing, and browsers refuse.
func (s *Server) crossOrigin(next http.Handler) http.Handler {
	if len(s.opt.AllowOrigins) == 0 {
		return next
	}
	all := slices.Contains(s.opt.AllowOrigins, "*")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin, h := r.Header.Get("Origin"), w.Header()
		h.Add("Vary", "Origin")
		listed := slices.Contains(s.opt.AllowOrigins, origin)
		if origin == "" || !listed && !all {
			next.ServeHTTP(w, r)
			return
		}
		if listed {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Allow-Credentials", "true")
		} else {
			h.Set("Access-Control-Allow-Origin", "*")
		}
		h.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After, ETag, Mcp-Session-Id, WWW-Authenticate")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			noteRoute(r, "preflight")
			h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, X-Request-Id, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name")
			h.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}
