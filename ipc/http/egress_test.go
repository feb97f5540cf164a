package httpapi

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// A run whose model is on another machine is refused until the server's settings
// allow it, and its follower is told why.
func TestRunNeedsConsent(t *testing.T) {
	for mode, want := range map[string]string{"": engine.CodeEgressConsent, engine.EgressLocalOnly: engine.CodeEgressBlocked} {
		r := newRigWith(t, engine.Options{Model: "far", BaseURL: "http://models.example.com/v1", APIKey: "key", Egress: mode})
		events := r.follow(r.startRun("Read it"), "", nil)
		last := events[len(events)-1]
		require.Equal(t, eventError, last.name)
		assert.Equal(t, want, last.data.Data["code"])
		assert.Contains(t, last.data.Data["error"], "models.example.com")
		p := fromErrorInfo(&engine.ErrorInfo{ErrorCode: want, Detail: "why"})
		assert.Equal(t, http.StatusForbidden, p.status)
		assert.Equal(t, "why", p.Message)
	}
}
