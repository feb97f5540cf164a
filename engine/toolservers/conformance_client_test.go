package toolservers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"atelier/engine/egress"
)

// conformanceMode makes the test binary the client of the conformance suite, which gives
// it the address of a server as its last argument.
const conformanceMode = "TOOLSERVERS_TEST_CONFORMANCE"

// conformanceClient does what a run does with a server: it lists the tools, signs in
// where the server wants that, and calls what the scenario is about.
func conformanceClient() int {
	home, err := os.MkdirTemp("", "conformance-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(home)
	logs := egress.NewLogs(func(string) string { return home })
	defer logs.CloseAll()
	p := New(Options{Home: home, Keys: &memoryKeys{}, Version: "test", Transport: egress.New(egress.Options{Logs: logs.Get})})
	defer p.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	c := &conformance{ctx: ctx, p: p, scenario: os.Getenv("MCP_CONFORMANCE_SCENARIO")}
	_ = json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &c.about) // without it, there is nothing to know
	if err := c.run(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, c.scenario, "failed:", err)
		return 1
	}
	return 0
}

type conformance struct {
	ctx      context.Context
	p        *Pool
	scenario string
	tools    []Tool
	about    struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		ToolCalls    []struct {
			Name      string
			Arguments json.RawMessage
		}
	}
}

func (c *conformance) run(address string) error {
	e := Entry{URL: address}
	switch {
	case c.scenario == "auth/basic-cimd":
		e.OAuth = &OAuth{ClientID: "https://conformance-test.local/client-metadata.json"}
	case c.about.ClientID != "":
		e.OAuth = &OAuth{ClientID: c.about.ClientID, ClientSecret: c.about.ClientSecret}
	}
	if strings.HasPrefix(c.scenario, "auth/client-credentials") {
		e.OAuth.GrantType = "client_credentials"
	}
	if err := c.p.Set(c.ctx, "s", e); err != nil {
		return err
	}
	err := c.signedIn(func() (err error) {
		_, c.tools, err = c.p.Test(c.ctx, Scope{}, "s")
		return err
	})
	if err != nil {
		return err
	}
	switch c.scenario {
	case "tools_call":
		return c.call("add_numbers", `{"a":5,"b":3}`)
	case "sse-retry":
		return c.call("test_reconnection", "")
	case "elicitation-sep1034-client-defaults":
		return c.call("test_client_elicitation_defaults", "")
	case "json-schema-2020-12-preservation":
		i := slices.IndexFunc(c.tools, func(t Tool) bool { return t.Tool == "json_schema_2020_12_tool" })
		return c.call("json_schema_echo", `{"schema":`+string(c.tools[i].Schema)+`}`)
	case "sep-2322-client-request-state":
		for _, name := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"} {
			if err := c.call(name, ""); err != nil {
				fmt.Fprintln(os.Stderr, name, err) // some are to be refused
			}
		}
		return nil
	case "http-custom-headers":
		for _, one := range c.about.ToolCalls {
			if err := c.call(one.Name, string(one.Arguments)); err != nil {
				fmt.Fprintln(os.Stderr, one.Name, err)
			}
		}
		return nil
	case "http-standard-headers", "http-invalid-tool-headers":
		for _, t := range c.tools {
			_ = c.call(t.Tool, `{"region":"us-west1"}`) // what counts is the request
		}
		return nil
	}
	if strings.HasPrefix(c.scenario, "auth/") {
		return c.call("test-tool", "")
	}
	return nil
}

func (c *conformance) call(tool, args string) error {
	return c.signedIn(func() error {
		_, err := c.p.Call(c.ctx, Scope{}, Call{Server: "s", Tool: tool, Arguments: json.RawMessage(args), Ask: func(context.Context, Question) (Answer, error) {
			content := map[string]any{}
			if c.scenario == "sep-2322-client-request-state" {
				content["confirmed"] = true
			}
			return Answer{Action: "accept", Content: content}, nil
		}})
		return err
	})
}

// signedIn does something, and signs in as a person would where the server wants that:
// the authorization server of the suite agrees at once.
func (c *conformance) signedIn(do func() error) error {
	for range 3 {
		err := do()
		var e *Error
		if !errors.As(err, &e) || e.Kind != SignIn {
			return err
		}
		if err := c.p.SignIn(c.ctx, Scope{}, "s", func(address string) {
			go func() {
				resp, err := http.Get(address)
				if err != nil {
					fmt.Fprintln(os.Stderr, "browser:", err)
					return
				}
				resp.Body.Close()
			}()
		}); err != nil {
			return err
		}
	}
	return do()
}
