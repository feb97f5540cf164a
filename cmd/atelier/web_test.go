package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"atelier/internal/testport"
)

// webCommands are the script commands that call a served Atelier.
var webCommands = map[string]func(*testscript.TestScript, bool, []string){
	"freeport": freePort, "await": await, "web": web, "jsonenv": jsonEnv,
}

// freePort is `freeport NAME`: sets NAME to an unused port.
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	port, release, err := testport.Take()
	ts.Check(err)
	ts.Defer(release)
	ts.Setenv(args[0], fmt.Sprint(port))
}

// freeAddress is one at which no process listens, and which no other test gets.
func freeAddress(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", testport.Reserve(t))
}

// await is `await URL`: waits until a server answers there.
func await(ts *testscript.TestScript, _ bool, args []string) {
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get(args[0])
		if err == nil {
			resp.Body.Close()
			return
		}
		if time.Since(begun) > time.Minute {
			ts.Fatalf("nothing answers at %s: %v", args[0], err)
		}
	}
}

// web is `web METHOD URL [BODY]`: sends a request with the token in TOKEN and
// prints status and body.
func web(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: web method url [body]")
	}
	req, err := http.NewRequest(args[0], args[1], strings.NewReader(strings.Join(args[2:], " ")))
	ts.Check(err)
	if token := ts.Getenv("TOKEN"); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%d %s", resp.StatusCode, b)
	ts.Check(err)
}

// jsonEnv is `jsonenv NAME MEMBER…`: sets NAME to a nested member of the JSON
// on standard output; of a list the member is a number.
func jsonEnv(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile("stdout")
	if i := strings.IndexByte(text, '{'); i > 0 { // the status before it
		text = text[i:]
	}
	var v any
	ts.Check(json.Unmarshal([]byte(text), &v))
	for _, name := range args[1:] {
		if list, ok := v.([]any); ok {
			i, err := strconv.Atoi(name)
			ts.Check(err)
			v = list[i]
			continue
		}
		m, _ := v.(map[string]any)
		v = m[name]
	}
	if v == nil {
		ts.Fatalf("no member %v in %s", args[1:], text)
	}
	ts.Setenv(args[0], fmt.Sprint(v))
}
