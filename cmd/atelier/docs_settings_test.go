package main

import (
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeNamesSettings: the README names each member of config.json.
func TestReadmeNamesSettings(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	of := reflect.TypeFor[configFile]()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if text := string(b); !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, `"`+name+`":`) {
			t.Errorf("the README does not name %s of config.json", name)
		}
	}
}

// TestClusterOfTheEnvironment: help names ATELIER_CLUSTER at exactly the commands that take
// it. They ask the cluster, which does not answer; the others work without one.
func TestClusterOfTheEnvironment(t *testing.T) {
	for args, takes := range map[string]bool{
		"cluster status":              true,
		"worker --model m":            true,
		"http user list":              false,
		"translate --to en --dry-run": false,
	} {
		root := newRoot(&settings{env: environment{of: map[string]string{
			"ATELIER_CLUSTER": "nats://127.0.0.1:1", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://127.0.0.1:2", "ATELIER_HOME": t.TempDir()}}})
		words := strings.Fields(args)
		cmd, _, err := root.Find(words)
		require.NoError(t, err)
		require.NoError(t, cmd.ParseFlags(nil))
		require.Equal(t, takes, strings.Contains(cmd.Flag("cluster").Usage, "ATELIER_CLUSTER"), args)
		if words[0] == "translate" {
			words = append(words, "../../testdata/documents", "--out", t.TempDir(), "--engine", "pseudo")
		}
		root.SetArgs(words)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.ExecuteContext(t.Context()); takes {
			require.ErrorContains(t, err, "127.0.0.1:1", args)
		} else {
			require.NoError(t, err, args)
		}
	}
}
