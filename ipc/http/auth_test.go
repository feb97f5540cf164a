package httpapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const missingToken = `{"error":"No valid token found in Authorization header or cookie","code":"INVALID_TOKEN"}`

// TestH07, C-11: every kind of wrong token is a 401 INVALID_TOKEN with its
// own message.
func TestH07(t *testing.T) {
	r := newRig(t)
	sign := func(method jwt.SigningMethod, key any, claims jwt.Claims) string {
		s, err := jwt.NewWithClaims(method, claims).SignedString(key)
		require.NoError(t, err)
		return s
	}
	at := func(d time.Duration) *jwt.NumericDate { return jwt.NewNumericDate(r.clock.now().Add(d)) }
	good := jwt.RegisteredClaims{Subject: r.ann.ID, IssuedAt: at(0), ExpiresAt: at(time.Minute)}
	with := func(f func(*jwt.RegisteredClaims)) jwt.RegisteredClaims { c := good; f(&c); return c }
	hs := jwt.SigningMethodHS256
	for name, c := range map[string]struct{ token, want string }{
		"missing":      {"", missingToken},
		"expired":      {sign(hs, []byte(secret), with(func(c *jwt.RegisteredClaims) { c.ExpiresAt = at(-time.Second) })), `{"error":"Token has expired","code":"INVALID_TOKEN"}`},
		"foreign key":  {sign(hs, []byte(strings.Repeat("x", 40)), good), `{"error":"Invalid token signature","code":"INVALID_TOKEN"}`},
		"no exp":       {sign(hs, []byte(secret), with(func(c *jwt.RegisteredClaims) { c.ExpiresAt = nil })), "Invalid token"},
		"not yet":      {sign(hs, []byte(secret), with(func(c *jwt.RegisteredClaims) { c.IssuedAt = at(time.Hour); c.ExpiresAt = at(2 * time.Hour) })), "Invalid token"},
		"no user id":   {sign(hs, []byte(secret), with(func(c *jwt.RegisteredClaims) { c.Subject = "ann" })), "Invalid token"},
		"unknown user": {sign(hs, []byte(secret), with(func(c *jwt.RegisteredClaims) { c.Subject = uuid.NewString() })), "Invalid token"},
		"garbage":      {"abc", "Invalid token"},
		"two dots":     {"a.b.c", "Invalid token"},
	} {
		t.Run(name, func(t *testing.T) {
			header := ""
			if c.token != "" {
				header = "Bearer " + c.token
			}
			a := r.tool(`{"tool":"ls","args":{}}`, "Authorization", header)
			assert.Equal(t, 401, a.Status)
			assert.Equal(t, "Bearer", a.Header.Get("WWW-Authenticate"))
			assert.Contains(t, a.Body, `"code":"INVALID_TOKEN"`)
			assert.Contains(t, a.Body, strings.TrimSuffix(c.want, "}"))
			if strings.HasPrefix(c.want, "{") {
				assert.Equal(t, c.want, a.Body)
			} else {
				assert.Contains(t, a.Body, `{"error":"`+c.want)
			}
		})
	}
	assert.Equal(t, 200, r.tool(`{"tool":"ls","args":{}}`, "Authorization", "Bearer "+sign(hs, []byte(secret), good)).Status, "the good one must be good")
}

// TestH15Algorithms: only HS256 is accepted, regardless of the token's
// header.
func TestH15Algorithms(t *testing.T) {
	r := newRig(t)
	claims := jwt.RegisteredClaims{Subject: r.ann.ID, IssuedAt: jwt.NewNumericDate(r.clock.now()), ExpiresAt: jwt.NewNumericDate(r.clock.now().Add(time.Minute))}
	for name, c := range map[string]struct {
		method jwt.SigningMethod
		key    any
	}{
		"none":  {jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType},
		"HS384": {jwt.SigningMethodHS384, []byte(secret)},
		"HS512": {jwt.SigningMethodHS512, []byte(secret)},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := jwt.NewWithClaims(c.method, claims).SignedString(c.key)
			require.NoError(t, err)
			a := r.tool(`{"tool":"ls","args":{}}`, "Authorization", "Bearer "+token)
			assert.Equal(t, 401, a.Status)
			assert.Equal(t, `{"error":"Invalid token: it is not signed with HS256","code":"INVALID_TOKEN"}`, a.Body)
		})
	}
}

// TestH15Lifetime: a token is valid for exactly 15 minutes, and a short
// secret is refused.
func TestH15Lifetime(t *testing.T) {
	r := newRig(t)
	r.clock.advance(14 * time.Minute)
	assert.Equal(t, 200, r.tool(`{"tool":"ls","args":{}}`).Status)
	r.clock.advance(2 * time.Minute)
	a := r.tool(`{"tool":"ls","args":{}}`)
	assert.Equal(t, 401, a.Status)
	assert.Equal(t, `{"error":"Token has expired","code":"INVALID_TOKEN"}`, a.Body)

	_, err := NewTokens(strings.Repeat("x", 31), 0, nil)
	assert.ErrorContains(t, err, "at least 32")
	_, err = NewTokens(strings.Repeat("x", 32), -time.Minute, nil)
	assert.Error(t, err)
	long, err := NewTokens(strings.Repeat("é", 32), time.Hour, nil)
	require.NoError(t, err)
	token, until, err := long.Mint(r.ann, 0)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now().Add(time.Hour), until, 10*time.Second)
	id, err := long.Check(token)
	require.NoError(t, err)
	assert.Equal(t, r.ann.ID, id)
}

// TestH14: a Bearer value is the only candidate if there is one; else the
// cookie counts.
func TestH14(t *testing.T) {
	r := newRig(t)
	good, bad := r.annToken, "x.y.z"
	for name, c := range map[string]struct {
		header, cookie string
		want           int
	}{
		"header":                          {"Bearer " + good, "", 200},
		"header in lower case":            {"bearer " + good, "", 200},
		"header, bad cookie":              {"Bearer " + good, bad, 200},
		"cookie":                          {"", good, 200},
		"bad header, good cookie":         {"Bearer " + bad, good, 401},
		"empty header, good cookie":       {"Bearer ", good, 200},
		"another scheme, good cookie":     {"Basic YTpi", good, 200},
		"another scheme":                  {"Basic YTpi", "", 401},
		"empty cookie":                    {"", "", 401},
		"bad cookie":                      {"", bad, 401},
		"a token without the word Bearer": {good, "", 401},
	} {
		t.Run(name, func(t *testing.T) {
			cookie := ""
			if c.cookie != "" {
				cookie = "theme=dark; access_token=" + c.cookie
			}
			assert.Equal(t, c.want, r.tool(`{"tool":"ls","args":{}}`, "Authorization", c.header, "Cookie", cookie).Status)
		})
	}
}

// TestH14CrossSite: a page of another site cannot use the cookie that the
// browser adds; a token in the header comes from the caller.
func TestH14CrossSite(t *testing.T) {
	r := newRig(t, func(o *Options) { o.AllowOrigins = []string{"https://app.example.org"} })
	cookie := "access_token=" + r.annToken
	ls := `{"tool":"ls","args":{}}`
	a := r.tool(ls, "Authorization", "", "Cookie", cookie, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example")
	assert.Equal(t, 403, a.Status)
	assert.Contains(t, a.Body, `"code":"FORBIDDEN"`)
	assert.Equal(t, 403, r.tool(ls, "Authorization", "", "Cookie", cookie, "Origin", "https://evil.example").Status)
	assert.Equal(t, 200, r.tool(ls, "Authorization", "", "Cookie", cookie, "Sec-Fetch-Site", "same-origin").Status)
	assert.Equal(t, 200, r.tool(ls, "Authorization", "", "Cookie", cookie, "Sec-Fetch-Site", "cross-site", "Origin", "https://app.example.org").Status)
	assert.Equal(t, 200, r.tool(ls, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example").Status)
}

// TestH08: other users get the same 403 for an existing and a missing
// workspace, so they cannot tell which exist.
func TestH08(t *testing.T) {
	r := newRig(t)
	const want = `{"error":"Access forbidden: User is not a member of this workspace","code":"FORBIDDEN"}`
	foreign := r.tool(`{"tool":"ls","args":{}}`, "Authorization", "Bearer "+r.eveToken)
	none := r.request("POST", "/api/v1/workspaces/"+uuid.NewString()+"/tools", `{"tool":"ls","args":{}}`, "Authorization", "Bearer "+r.eveToken)
	assert.Equal(t, 403, foreign.Status)
	assert.Equal(t, want, foreign.Body)
	assert.Equal(t, foreign.Status, none.Status)
	assert.Equal(t, foreign.Body, none.Body)
}

// TestH13: a workspace id is a UUID in its usual form only.
func TestH13(t *testing.T) {
	r := newRig(t)
	const want = `{"error":"Validation failed","code":"VALIDATION_ERROR","fields":{"workspace_id":"Invalid workspace ID format"}}`
	for _, id := range []string{"x", "123", strings.ReplaceAll(r.ws, "-", ""), "%7B" + r.ws + "%7D", "urn:uuid:" + r.ws, r.ws + "%00"} {
		a := r.request("POST", "/api/v1/workspaces/"+id+"/tools", `{"tool":"ls","args":{}}`)
		assert.Equal(t, 400, a.Status, id)
		assert.Equal(t, want, a.Body, id)
	}
	a := r.request("POST", "/api/v1/workspaces/"+strings.ToUpper(r.ws)+"/tools", `{"tool":"ls","args":{}}`)
	assert.Equal(t, 200, a.Status, "hex digits in capitals name the same workspace")
}

// TestH16: the two layers determine the caller and the permissions, in that
// order; a member works in the workspace until removed.
func TestH16(t *testing.T) {
	r := newRig(t)
	ls := `{"tool":"ls","args":{}}`
	asEve := []string{"Authorization", "Bearer " + r.eveToken}
	assert.Equal(t, 403, r.tool(ls, asEve...).Status)
	_, err := r.accounts.AddMember(t.Context(), r.ws, r.eve.ID)
	require.NoError(t, err)
	require.Equal(t, 200, r.tool(ls, asEve...).Status)
	assert.Equal(t, r.eve.ID, r.tools.call().User)
	assert.Equal(t, r.ws, r.tools.call().Workspace)
	_, err = r.accounts.RemoveMember(t.Context(), r.ws, r.eve.ID)
	require.NoError(t, err)
	assert.Equal(t, 403, r.tool(ls, asEve...).Status)
	// 401 comes before the malformed id, and that before 403 (C-48).
	assert.Equal(t, 401, r.request("POST", "/api/v1/workspaces/x/tools", "nonsense", "Authorization", "").Status)
	assert.Equal(t, 400, r.request("POST", "/api/v1/workspaces/x/tools", "nonsense", asEve...).Status)
	assert.Equal(t, 403, r.tool("nonsense", asEve...).Status)
	assert.Equal(t, 400, r.tool("nonsense").Status)
}

// TestWorkspacesOfTheUser: a user sees only workspaces that the user may use.
func TestWorkspacesOfTheUser(t *testing.T) {
	r := newRig(t)
	a := r.request(http.MethodGet, "/api/v1/workspaces", "")
	assert.Equal(t, 200, a.Status)
	assert.Contains(t, a.Body, r.ws)
	a = r.request(http.MethodGet, "/api/v1/workspaces", "", "Authorization", "Bearer "+r.eveToken)
	assert.Equal(t, `{"success":true,"result":{"workspaces":[]},"error":null}`, a.Body)
}
