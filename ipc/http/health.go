package httpapi

import (
	"net/http"

	"atelier/engine"
)

// HealthPath is the route that says whether the server answers.
const HealthPath = "/api/v1/health"

// health is GET /api/v1/health (H-19).
func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, map[string]string{"status": "ok", "version": engine.Version})
}
