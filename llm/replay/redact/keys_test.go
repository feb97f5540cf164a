package redact_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm/replay/redact"
)

// L-11: keys of providers and services are known by their form, wherever they
// stand; passwords by the address they stand in.
func TestL11FormsOfKeys(t *testing.T) {
	for s, want := range map[string]string{
		"https://ann:hunter2hunter2@example.com/x":               "https://ann:REDACTED@example.com/x",
		`{"url":"postgres:\/\/app:S3cret-Pass@db\/x"}`:           `{"url":"postgres:\/\/app:REDACTED@db\/x"}`,
		"redis://:correct-horse@db:6379":                         "redis://:REDACTED@db:6379",
		"cerebras csk-abcdefghijklmnop1234567890.":               "cerebras REDACTED.",
		"pplx-abcdefghijklmnop1234567890":                        "REDACTED",
		"fw_abcdefghijklmnop12345":                               "REDACTED",
		"nvapi-abcdefghijklmnop1234":                             "REDACTED",
		"tgp_v1_abcdefghijklmnop1234":                            "REDACTED",
		"r8_abcdefghijklmnopqrstuvwxyz":                          "REDACTED",
		"npm_abcdefghijklmnopqrstuvwxyz0123456789":               "REDACTED",
		"ya29.a0AfH6SMBabcdefghijklmnop":                         "REDACTED",
		"SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz01": "REDACTED",
		"ASIAABCDEFGHIJKLMNOP":                                   "REDACTED",
		"AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ":   "REDACTED",
		// none of them
		"http://localhost:8080/a@b":     "http://localhost:8080/a@b",
		"mailto:ann@example.com":        "mailto:ann@example.com",
		"see https://example.com:8443/": "see https://example.com:8443/",
		"secret_santa":                  "secret_santa",
	} {
		r := redact.New()
		r.Learn(s)
		require.Equal(t, want, r.Text(s))
	}
}
