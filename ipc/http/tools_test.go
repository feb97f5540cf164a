package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// TestH01: tools are called by POST; the error for another method names the
// allowed ones.
func TestH01(t *testing.T) {
	r := newRig(t)
	assert.Equal(t, 200, r.tool(`{"tool":"ls","args":{}}`).Status)
	for _, method := range []string{"GET", "PUT", "DELETE", "PATCH", "OPTIONS"} {
		a := r.request(method, r.toolsPath(), "")
		assert.Equal(t, 405, a.Status, method)
		assert.Equal(t, "POST", a.Header.Get("Allow"), method)
		assert.Equal(t, `{"error":"`+method+` is not allowed here; use POST","code":"METHOD_NOT_ALLOWED"}`, a.Body)
	}
	a := r.request("HEAD", r.toolsPath(), "")
	assert.Equal(t, 405, a.Status)
	a = r.request("POST", "/api/v1/health", "")
	assert.Equal(t, 405, a.Status)
	assert.Equal(t, "GET, HEAD", a.Header.Get("Allow"))
	for _, path := range []string{"/", "/api/v1/nope", "/api/v2/health", "/api/v1/workspaces/" + r.ws} {
		a := r.request("GET", path, "")
		assert.Equal(t, 404, a.Status, path)
		assert.Contains(t, a.Body, `"code":"NOT_FOUND"`)
	}
}

// TestH02: a Content-Type, if there is one, must be JSON.
func TestH02(t *testing.T) {
	r := newRig(t)
	ls := `{"tool":"ls","args":{}}`
	for ct, want := range map[string]int{"application/json": 200, "application/json; charset=utf-8": 200, "Application/JSON": 200, "": 200,
		"text/plain": 415, "application/x-www-form-urlencoded": 415, "multipart/form-data": 415, ";;": 415} {
		assert.Equal(t, want, r.tool(ls, "Content-Type", ct).Status, ct)
	}
}

// TestH03: both members are required; args is optional for a tool without
// required arguments.
func TestH03(t *testing.T) {
	r := newRig(t)
	for body, want := range map[string]string{
		`{"args":{}}`:                       "missing field `tool`",
		`{}`:                                "missing field `tool`",
		`{"tool":null,"args":{}}`:           "missing field `tool`",
		`{"tool":5,"args":{}}`:              "invalid type for `tool`: expected a string, got number",
		`{"tool":"read"}`:                   "missing field `args`",
		`{"tool":"read","args":null}`:       "missing field `args`",
		`{"tool":"ls","args":[]}`:           "invalid type for `args`: expected an object",
		`{"tool":"ls","args":"{}"}`:         "invalid type for `args`: expected an object",
		`{"tool":"ls","plan_mode":"maybe"}`: "Invalid JSON: expected a boolean",
	} {
		a := r.tool(body)
		assert.Equal(t, 400, a.Status, body)
		assert.Contains(t, a.Body, `{"error":"`+want, body)
		assert.Contains(t, a.Body, `"code":"VALIDATION_ERROR"`, body)
	}
	for _, body := range []string{`{"tool":"ls"}`, `{"tool":"ls","args":null}`, `{"tool":"ls","args":{},"more":1}`} {
		assert.Equal(t, 200, r.tool(body).Status, body)
		assert.JSONEq(t, `{}`, string(r.tools.call().Args))
	}
}

// TestH04: plan_mode is a tolerant boolean, false by default.
func TestH04(t *testing.T) {
	r := newRig(t)
	for value, want := range map[string]bool{`true`: true, `"TRUE"`: true, `1`: true, `"1"`: true, `false`: false, `"False"`: false, `0`: false, `null`: false} {
		require.Equal(t, 200, r.tool(`{"tool":"ls","args":{},"plan_mode":`+value+`}`).Status, value)
		assert.Equal(t, want, r.tools.call().PlanMode, value)
	}
	r.tool(`{"tool":"ls","args":{}}`)
	assert.False(t, r.tools.call().PlanMode)
}

// TestH05: the body of success has all three members.
func TestH05(t *testing.T) {
	r := newRig(t)
	a := r.tool(`{"tool":"ls","args":{"path":"/"}}`)
	assert.Equal(t, 200, a.Status)
	assert.Equal(t, "application/json", a.Header.Get("Content-Type"))
	assert.Equal(t, fmt.Sprintf(`{"success":true,"result":{"tool":"ls","user":%q,"workspace":%q},"error":null}`, r.ann.ID, r.ws), a.Body)
}

// TestH06 (C-09, C-10) is the HTTP column of A-06, and H-12: the encoding of
// every fault.
func TestH06(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		fault  workshop.Fault
		status int
		body   string
	}{
		{workshop.Fault{Code: workshop.Invalid, Message: "missing field `path`"}, 400, "{\"success\":false,\"error\":\"missing field `path`\",\"code\":\"VALIDATION_ERROR\"}"},
		{workshop.Fault{Code: workshop.Invalid, Message: "too <short>", Field: "path"}, 400, `{"success":false,"error":"Validation failed","code":"VALIDATION_ERROR","fields":{"path":"too <short>"}}`},
		{workshop.Fault{Code: workshop.NotFound, Message: "File not found: /nonexistent/file.txt"}, 404, `{"success":false,"error":"File not found: /nonexistent/file.txt","code":"NOT_FOUND"}`},
		{workshop.Fault{Code: workshop.Conflict, Message: "changed", Paths: []string{"a"}}, 409, `{"success":false,"error":"changed","code":"CONFLICT"}`},
		{workshop.Fault{Code: workshop.InContext, Message: "active"}, 409, `{"success":false,"error":"active","code":"CONFLICT"}`},
		{workshop.Fault{Code: workshop.Unauthenticated, Message: "who"}, 401, `{"success":false,"error":"who","code":"INVALID_TOKEN"}`},
		{workshop.Fault{Code: workshop.Forbidden, Message: "no"}, 403, `{"success":false,"error":"no","code":"FORBIDDEN"}`},
		{workshop.Fault{Code: workshop.Sandbox, Message: "outside", Hint: "stay inside"}, 400, `{"success":false,"error":"outside (stay inside)","code":"VALIDATION_ERROR"}`},
		{workshop.Fault{Code: workshop.Internal, Message: "disk /dev/sda1 is broken", Hint: "x", Paths: []string{"/etc"}}, 500, `{"success":false,"error":"Internal server error","code":"INTERNAL_ERROR"}`},
	} {
		args, err := json.Marshal(c.fault)
		require.NoError(t, err)
		a := r.tool(`{"tool":"fault","args":` + string(args) + `}`)
		assert.Equal(t, c.status, a.Status, c.fault.Code)
		assert.Equal(t, c.body, a.Body, c.fault.Code)
	}
	assert.Contains(t, r.log.String(), "disk /dev/sda1 is broken", "the log has what the caller must not know")
}

// TestH09: an unknown tool is a 404 in the words of the guide.
func TestH09(t *testing.T) {
	r := newRig(t)
	a := r.tool(`{"tool":"git_commit","args":{}}`)
	assert.Equal(t, 404, a.Status)
	assert.Equal(t, `{"error":"Tool 'git_commit' not found","code":"NOT_FOUND"}`, a.Body)
	a = r.tool(`{"tool":""}`)
	assert.Equal(t, 404, a.Status)
}

// TestH11Body: errors in a body are named, with their position.
func TestH11Body(t *testing.T) {
	r := newRig(t)
	for body, want := range map[string]string{
		"nonsense":                             "Invalid JSON: invalid character 'o' in literal null (expecting 'u') at line 1 column 2",
		"{\n \"tool\": }":                      "at line 2 column 10",
		`{"tool":"ls"`:                         "Invalid JSON: unexpected end of JSON input",
		`{"tool":"ls"} {}`:                     "Invalid JSON: ",
		`[]`:                                   "The request body must be a JSON object",
		`"ls"`:                                 "The request body must be a JSON object",
		``:                                     "The request body is empty",
		"  ":                                   "The request body is empty",
		"{\"tool\":\"ls\xff\"}":                "not valid UTF-8",
		strings.Repeat(`{"a":`, 20_000) + "1":  "Invalid JSON",
		`{"tool":"ls","args":{"path":"\ud8"}}`: "Invalid JSON",
	} {
		a := r.tool(body)
		name := body[:min(len(body), 40)]
		assert.Equal(t, 400, a.Status, name)
		assert.Contains(t, a.Body, want, name)
		assert.Contains(t, a.Body, `"code":"VALIDATION_ERROR"`, name)
	}
}

// TestH18Body: a body over 10 MiB is refused with that reason, one just below
// is accepted.
func TestH18Body(t *testing.T) {
	r := newRig(t)
	body := func(n int) string {
		frame := `{"tool":"ls","args":{"path":""}}`
		return `{"tool":"ls","args":{"path":"` + strings.Repeat("x", n-len(frame)) + `"}}`
	}
	assert.Equal(t, 200, r.tool(body(BodyMax)).Status)
	a := r.tool(body(BodyMax + 1))
	assert.Equal(t, http.StatusRequestEntityTooLarge, a.Status)
	assert.Equal(t, `{"error":"The request body is larger than 10 MiB","code":"VALIDATION_ERROR"}`, a.Body)
}

// TestH18Panic: a panic is a 500 without detail, and the server keeps
// running.
func TestH18Panic(t *testing.T) {
	r := newRig(t)
	a := r.tool(`{"tool":"panic","args":{}}`)
	assert.Equal(t, 500, a.Status)
	assert.Equal(t, `{"error":"Internal server error","code":"INTERNAL_ERROR"}`, a.Body)
	assert.Contains(t, r.log.String(), "the secret of the handler")
	assert.Equal(t, 200, r.tool(`{"tool":"ls"}`).Status)
}

// TestH18RequestID: a valid id is echoed, another is replaced, every answer
// has one.
func TestH18RequestID(t *testing.T) {
	r := newRig(t)
	assert.Equal(t, "my-call_1.2", r.tool(`{"tool":"ls"}`, "X-Request-Id", "my-call_1.2").Header.Get("X-Request-Id"))
	for _, id := range []string{"", "a b", strings.Repeat("x", 65), "a\tb", "é"} {
		got := r.tool(`{"tool":"ls"}`, "X-Request-Id", id).Header.Get("X-Request-Id")
		assert.Len(t, got, 36, id)
	}
	a := r.request("GET", "/nope", "", "X-Request-Id", "lost")
	assert.Equal(t, "lost", a.Header.Get("X-Request-Id"))
	assert.Contains(t, r.log.String(), "id=lost")
}

// TestAccessLog: one line for each request, without token, arguments or
// paths.
func TestAccessLog(t *testing.T) {
	r := newRig(t)
	r.tool(`{"tool":"ls","args":{"path":"/private-salaries"}}`)
	r.request("GET", "/private-address?key=private-query", "")
	r.tool(`{"tool":"private-tool"}`)
	log := r.log.String()
	assert.Contains(t, log, "route=/api/v1/workspaces/{id}/tools")
	assert.Contains(t, log, "tool=ls")
	assert.Contains(t, log, "user="+r.ann.ID)
	assert.Contains(t, log, "status=404")
	assert.NotContains(t, log, "private")
	assert.NotContains(t, log, r.annToken)
	assert.NotContains(t, log, "Bearer")
	assert.NotContains(t, log, secret)
}

// TestStoppedCall: the error of a call that ran out of time says so, without
// detail.
func TestStoppedCall(t *testing.T) {
	p := fromFault(&workshop.Fault{Code: workshop.Internal, Message: "reading /secret", Err: fmt.Errorf("x: %w", context.DeadlineExceeded)})
	assert.Equal(t, 503, p.status)
	assert.Equal(t, `{"error":"The call took too long and was stopped before it was done","code":"UNAVAILABLE"}`, string(marshal(p)))
}
