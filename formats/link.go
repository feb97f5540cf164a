package formats

import (
	"net/url"
	"slices"
	"strings"
)

// linkSchemes are the schemes a hyperlink may have: nothing that runs code.
var linkSchemes = []string{"http", "https", "mailto", "ftp", "ftps", "tel", "sip", "file", "news"}

// CheckLink returns an error when an address must not be the target of a
// hyperlink in a document.
func CheckLink(target string) error {
	u, err := url.Parse(target)
	if err != nil {
		return Errorf(CodeInvalid, "url cannot be used: %w", err)
	}
	if !slices.Contains(linkSchemes, strings.ToLower(u.Scheme)) {
		return Errorf(CodeInvalid, "url %q must begin with one of %s:", target, strings.Join(linkSchemes, ":, "))
	}
	return nil
}
