package main

import (
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
