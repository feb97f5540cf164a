package toolservers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Entry is how mcp.json describes one server, in the members that other programs use.
// Values of command, args, env, cwd, url, headers and oauth may hold ${VAR} and
// ${VAR:-default}, also written ${env:VAR}, and ${workspaceFolder} and ${userHome}.
type Entry struct {
	Type     string            `json:"type,omitempty"`     // stdio or http (also streamable-http, streamableHttp); "" is what command or url say
	Command  string            `json:"command,omitempty"`  // program of a stdio server
	Args     []string          `json:"args,omitempty"`     // its arguments
	Env      map[string]string `json:"env,omitempty"`      // variables that it gets beside a few of the environment
	Cwd      string            `json:"cwd,omitempty"`      // its current folder; default: for an entry of a folder that folder, else the home folder
	URL      string            `json:"url,omitempty"`      // of an http server
	Headers  map[string]string `json:"headers,omitempty"`  // of each request to it
	Disabled bool              `json:"disabled,omitempty"` // it is not started
	Timeout  Duration          `json:"timeout,omitempty"`  // of a call: a number of milliseconds, or text such as "30s"
	Roots    bool              `json:"roots,omitempty"`    // tell it the folder of the workbench; default: it is told no folder
	OAuth    *OAuth            `json:"oauth,omitempty"`    // for servers that want a sign-in without registration
}

// OAuth has what a person got when they registered Atelier at an authorization server.
type OAuth struct {
	ClientID     string   `json:"clientId,omitempty"`
	ClientSecret string   `json:"clientSecret,omitempty"`
	CallbackPort int      `json:"callbackPort,omitempty"` // of the loopback address; 0 is any
	Scopes       []string `json:"scopes,omitempty"`       // asked for instead of those that the server names
	// GrantType client_credentials signs in with the secret alone, without a person;
	// "" is authorization_code.
	GrantType string `json:"grantType,omitempty"`
}

// Duration is a time.Duration in JSON: a number of milliseconds, or text such as "30s".
type Duration time.Duration

// minTimeout is what the least timeout is: a smaller number in mcp.json is one of
// seconds, as some programs have it.
const minTimeout = time.Second

// MarshalJSON writes milliseconds.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).Milliseconds())
}

// UnmarshalJSON reads a number of milliseconds, or text such as "30s".
func (d *Duration) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		t, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%q is not a time such as 30s", text)
		}
		*d = Duration(t)
		return nil
	}
	var n float64
	if err := json.Unmarshal(b, &n); err != nil {
		return errors.New("a time is a number of milliseconds or text such as \"30s\"")
	}
	*d = Duration(n * float64(time.Millisecond))
	return nil
}

// entryMembers are the members that an Entry has.
var entryMembers = func() (list []string) {
	t := reflect.TypeFor[Entry]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		list = append(list, name)
	}
	return list
}()

// parseEntry reads an entry and says what a person has to know of it.
func parseEntry(raw json.RawMessage) (e Entry, notes []string, err error) {
	o, err := parseObject(raw)
	if err != nil {
		return e, nil, errors.New("the entry is not a JSON object")
	}
	for _, m := range o {
		if !slices.Contains(entryMembers, m.name) {
			notes = append(notes, fmt.Sprintf("member %q is not known to Atelier and does not count", clip(m.name, 60)))
		}
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		var typed *json.UnmarshalTypeError
		if errors.As(err, &typed) {
			return e, notes, fmt.Errorf("member %q has the wrong type: it is a %s and must be a %s", typed.Field, typed.Value, plainType(typed.Type))
		}
		return e, notes, err
	}
	if t := time.Duration(e.Timeout); t > 0 && t < minTimeout {
		e.Timeout = Duration(t * 1000)
		notes = append(notes, fmt.Sprintf("timeout is taken as %s: a number is one of milliseconds, and %s is too short for a call", time.Duration(e.Timeout), t))
	}
	return e, notes, nil
}

// plainType names a Go type in words of JSON.
func plainType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "list of texts"
	case reflect.Map, reflect.Struct, reflect.Pointer:
		return "object"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	}
	return "text"
}

// Kinds of servers.
const (
	kindStdio = "stdio"
	kindHTTP  = "http"
)

// kind returns how a server is reached.
func (e *Entry) kind() (string, error) {
	switch strings.ToLower(e.Type) {
	case "":
	case "stdio", "local":
		if e.Command == "" {
			return "", errors.New("type is stdio, so command must name a program")
		}
		return kindStdio, e.stdioOnly()
	case "http", "streamable-http", "streamablehttp", "remote":
		if e.URL == "" {
			return "", errors.New("type is http, so url must have an address")
		}
		return kindHTTP, nil
	case "sse":
		return "", errors.New(`type sse is the transport of the protocol's first revision and is not supported; most such servers also have an address for type "http"`)
	default:
		return "", fmt.Errorf("type %q is not known; it must be stdio or http", clip(e.Type, 40))
	}
	switch {
	case e.Command != "" && e.URL != "":
		return "", errors.New("it has both command and url; leave one out")
	case e.Command != "":
		return kindStdio, e.stdioOnly()
	case e.URL != "":
		return kindHTTP, nil
	}
	return "", errors.New("it needs command (a program) or url (an address)")
}

func (e *Entry) stdioOnly() error {
	if len(e.Headers) > 0 {
		return errors.New("headers are for servers with url")
	}
	return nil
}

// ownHeaders are set by the protocol.
var ownHeaders = []string{"Host", "Content-Length", "Content-Type", "Accept", "Connection", "Transfer-Encoding", "Upgrade", "Te", "Trailer", "Last-Event-Id"}

// check says what is wrong with an entry whose variables are filled in.
func (e *Entry) check(kind string) error {
	if kind == kindStdio {
		for name, value := range e.Env {
			if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
				return fmt.Errorf("env has the name %q, which cannot be one of a variable", clip(name, 40))
			}
		}
		if strings.Contains(strings.Join(append([]string{e.Command, e.Cwd}, e.Args...), ""), "\x00") {
			return errors.New("command, args and cwd cannot hold a NUL character")
		}
		return nil
	}
	u, err := url.Parse(e.URL)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return errors.New("url must be an address that begins with https:// or http://")
	case u.User != nil:
		return errors.New("url must not hold a user or a password; use headers")
	case u.Fragment != "":
		return errors.New("url must not have a part after #")
	}
	for name, value := range e.Headers {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		if slices.Contains(ownHeaders, canonical) || strings.HasPrefix(canonical, "Mcp-") {
			return fmt.Errorf("headers cannot set %s, which the protocol sets", canonical)
		}
		if !isToken(name) || strings.ContainsAny(value, "\r\n\x00") {
			return fmt.Errorf("headers has %q, which cannot be a header", clip(name, 40))
		}
	}
	if o := e.OAuth; o != nil {
		switch {
		case o.GrantType != "" && o.GrantType != "authorization_code" && o.GrantType != "client_credentials":
			return fmt.Errorf("oauth has the grantType %q; it must be authorization_code or client_credentials", clip(o.GrantType, 40))
		case o.GrantType == "client_credentials" && (o.ClientID == "" || o.ClientSecret == ""):
			return errors.New("oauth with grantType client_credentials needs clientId and clientSecret")
		case o.CallbackPort < 0 || o.CallbackPort > 65535:
			return errors.New("callbackPort of oauth must be from 1 to 65535")
		}
	}
	return nil
}

// isToken reports whether s can be the name of a header (RFC 9110, 5.6.2).
func isToken(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		return c <= ' ' || c >= 0x7F || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	}) < 0
}

// hashOf returns the hash of an entry: of its content, whatever the order of members and
// the white space.
func hashOf(raw json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	text := []byte(raw)
	if d.Decode(&v) == nil {
		if b, err := json.Marshal(v); err == nil {
			text = b
		}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
