package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Consents of a workbench are listed with how long they last, those of another
// are not.
func TestConsentsAreListed(t *testing.T) {
	v := newRemote(t, says("Done."))
	e := newEngine(t, v.use)
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha", "b.txt": "beta"})
	other, _ := folder(t, e, map[string]string{"c.txt": "gamma"})
	list := func(id string) any { return must(t, e, "EgressListConsents", obj{"workbench_id": id})["consents"] }
	require.Empty(t, list(id))
	grantNow(t, e, id, "first", true)
	grantNow(t, e, id, "second:big", false)
	require.Equal(t, []any{
		obj{"provider_id": "openai", "model_id": "first", "host": "models.example.com", "files": 2.0, "persisted": true},
		obj{"provider_id": "second", "model_id": "big", "host": "other.example.com", "files": 2.0, "persisted": false}}, list(id))
	require.Empty(t, list(other))
	e.Forget(id) // it leaves this server; another may take consents back meanwhile
	require.Equal(t, []any{obj{"provider_id": "openai", "model_id": "first", "host": "models.example.com", "files": 2.0, "persisted": true}}, list(id))
	grantNow(t, e, id, "second:big", false)
	must(t, e, "EgressRevokeWorkshopConsent", obj{"workbench_id": id, "provider_id": "openai"})
	require.Len(t, list(id), 1)
	must(t, e, "UserSetConsentMode", obj{"mode": "allow_all", "approved": true})
	require.Equal(t, "allow_all", must(t, e, "EgressListConsents", obj{"workbench_id": id})["mode"])
}
