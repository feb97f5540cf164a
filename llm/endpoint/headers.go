package endpoint

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"atelier/internal/lazyregexp"
)

// headerName is a token of RFC 9110 section 5.6.2.
var headerName = lazyregexp.New("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// ownHeaders are those that a request has anyhow.
var ownHeaders = []string{"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Length", "Content-Type", "Host", "Idempotency-Key", "Transfer-Encoding"}

// CheckHeaders says what is wrong with Options.Headers.
func CheckHeaders(list map[string]string) error {
	for name, value := range list {
		switch {
		case !headerName.MatchString(name):
			return fmt.Errorf("%q is no name of a header", name)
		case slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)):
			return fmt.Errorf("%s is set by the program; a key belongs into api_key_env or api_key", name)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			return fmt.Errorf("the value of %s holds a line break or another control character", name)
		}
	}
	return nil
}

// SecretHeaders returns the values in list that are secrets, going by the names, without
// the scheme before them (RFC 9110 section 11.4).
func SecretHeaders(list map[string]string) []string {
	var secrets []string
	for name, value := range list {
		name = strings.ToLower(name)
		if slices.ContainsFunc([]string{"key", "token", "secret", "auth", "password", "cookie"}, func(w string) bool { return strings.Contains(name, w) }) {
			if words := strings.Fields(value); len(words) > 0 {
				secrets = append(secrets, words[len(words)-1])
			}
		}
	}
	return secrets
}

// withHeaders adds headers to every request to one host. A redirect to another
// goes without them, as net/http sends none there of those that hold secrets.
type withHeaders struct {
	base http.RoundTripper
	host string // without a port
	list map[string]string
}

func (t withHeaders) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.EqualFold(req.URL.Hostname(), t.host) {
		return t.base.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	for name, value := range t.list {
		req.Header.Set(name, value)
	}
	return t.base.RoundTrip(req)
}
