package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
)

// speakers are the packages that may use the network, and why.
var speakers = map[string]string{
	"atelier/cmd/atelier":                  "listens; doctor looks whether an endpoint's port answers; http health asks a server of this program",
	"atelier/engine":                       "gives the gate to model clients",
	"atelier/engine/egress":                "is the gate",
	"atelier/engine/toolservers":           "sends through the engine's gate; a sign-in comes back to a loopback address",
	"atelier/formats/formatstest":          "for tests",
	"atelier/internal/cluster":             "connects to the servers of a cluster that the operator names",
	"atelier/internal/cluster/clustertest": "for tests",
	"atelier/internal/cluster/embedded":    "serves",
	"atelier/internal/s3":                  "sends large contents to the bucket that the operator of a cluster names",
	"atelier/internal/s3/s3test":           "for tests",
	"atelier/internal/testport":            "for tests",
	"atelier/internal/trace/otlp":          "sends spans, which have nothing of a document, to the collector that the operator names",
	"atelier/internal/trace/otlp/otlptest": "for tests",
	"atelier/ipc/http":                     "serves",
	"atelier/ipc/local":                    "a Unix socket or a named pipe of the same user",
	"atelier/ipc/mcp":                      "serves",
	"atelier/ipc/ui":                       "serves",
	"atelier/ipc/ws":                       "serves",
	"atelier/llm/llmtest":                  "for tests",
	"atelier/llm/llmtest/chaos":            "for tests",
	"atelier/llm/anthropic":                "gets its HTTP client from the engine",
	"atelier/llm/endpoint":                 "gets its HTTP client from the engine",
	"atelier/llm/openai":                   "gets its HTTP client from the engine",
	"atelier/llm/replay":                   "serves recordings to this machine",
	"atelier/workshop/agent/transcript":    "plays recordings on this machine",
	"atelier/workshop/web":                 "fetches pages, through the engine's gate",
}

// TestOnlyTheGateReachesOut: a new package that uses the network needs a
// decision, because requests that bypass the gate are neither allowed nor
// logged.
func TestOnlyTheGateReachesOut(t *testing.T) {
	out, err := exec.Command(need.Program(t, "go", "Go"), "list", "-json=ImportPath,Imports", "atelier/...").Output()
	require.NoError(t, err)
	dec := json.NewDecoder(strings.NewReader(string(out)))
	used := map[string]bool{}
	for dec.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		require.NoError(t, dec.Decode(&p))
		if slices.ContainsFunc(p.Imports, func(i string) bool {
			return i == "net" || i == "net/http" || i == "crypto/tls" || i == "net/smtp" || i == "net/rpc"
		}) {
			require.NotEmpty(t, speakers[p.ImportPath], "%s uses the network: requests go through engine/egress", p.ImportPath)
			used[p.ImportPath] = true
		}
	}
	for p := range speakers {
		require.True(t, used[p], "%s does not use the network any more", p)
	}
}
