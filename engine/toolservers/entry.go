package toolservers

import (
	"encoding/json"
	"time"
)

// Entry is how mcp.json describes one server, in the members that other programs use.
// Values of command, args, env, cwd, url and headers may hold ${VAR} and
// ${VAR:-default}.
type Entry struct {
	Type     string            `json:"type,omitempty"`     // stdio or http (streamable-http, streamableHttp); "" is what command or url say
	Command  string            `json:"command,omitempty"`  // program of a stdio server
	Args     []string          `json:"args,omitempty"`     // its arguments
	Env      map[string]string `json:"env,omitempty"`      // variables that it gets beside a few of the environment
	Cwd      string            `json:"cwd,omitempty"`      // its current folder; default: the folder of the workbench
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

// MarshalJSON writes milliseconds.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).Milliseconds())
}
