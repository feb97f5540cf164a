package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"atelier/engine/egress"
	"atelier/internal/buildinfo"
)

// Release is the newest release, as the address of releases tells it.
type Release struct {
	Version     string    // without a leading v
	URL         string    // the page to get it from, http or https; "" if the answer has none
	PublishedAt time.Time // zero if the answer has no time
}

// Bounds of a question for the newest release.
const (
	releaseTime  = 30 * time.Second
	maxRelease   = 4 << 20 // bytes of an answer: release notes and a list of files
	maxRedirects = 5
)

// NewestRelease asks address for the newest release: a GET whose answer is a JSON
// object with tag_name (required), html_url and published_at, like "latest release" of
// GitHub's and Gitea's REST APIs. Nothing but the request is sent. It is logged, and
// refused where Options.Egress is EgressLocalOnly and the address is on another
// machine. Redirects are followed on the same server only.
func (e *Engine) NewestRelease(ctx context.Context, address string) (Release, error) {
	at, err := releaseAddress(ctx, address)
	if err != nil {
		return Release{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, releaseTime)
	defer cancel()
	origin := egress.OriginOf(at)
	ctx = egress.With(ctx, egress.Purpose{Kind: egress.KindRelease, Origin: origin})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return Release{}, err
	}
	req.Header.Set("User-Agent", "atelier/"+Version)
	req.Header.Set("Accept", "application/json")
	client := *e.egress.client
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		switch {
		case egress.OriginOf(req.URL) != origin:
			return fmt.Errorf("it redirects to another server, %s: name an address there", req.URL.Host)
		case len(via) > maxRedirects:
			return errors.New("it redirects too often")
		}
		return nil
	}
	resp, err := client.Do(req)
	if err != nil {
		return Release{}, releaseError(at, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Release{}, fmt.Errorf("%s answers HTTP %d%s", at.Host, resp.StatusCode, releaseHint(resp.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRelease+1))
	switch {
	case err != nil:
		return Release{}, releaseError(at, err)
	case len(body) > maxRelease:
		return Release{}, fmt.Errorf("the answer of %s is longer than %d MiB: is it the address of the newest release?", at.Host, maxRelease>>20)
	}
	return readRelease(at, body)
}

// releaseAddress refuses addresses that a program between could answer: those of
// another machine must be https.
func releaseAddress(ctx context.Context, address string) (*url.URL, error) {
	at, err := url.Parse(address)
	switch {
	case err != nil || at.Host == "" || at.User != nil:
		return nil, errors.New("the address of releases is not one such as https://example.org/releases/latest")
	case at.Scheme == "https", at.Scheme == "http" && egress.Local(ctx, at.Hostname()):
		return at, nil
	}
	return nil, fmt.Errorf("the address of releases must begin with https://, not %s://, since it is on another machine", at.Scheme)
}

// releaseError leaves out the rest of the address, which may have a key.
func releaseError(at *url.URL, err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s did not answer within %s", at.Host, releaseTime)
	}
	return fmt.Errorf("%s cannot be asked for the newest release: %w", at.Host, err)
}

func releaseHint(status int) string {
	switch status {
	case http.StatusNotFound:
		return ": there is no release yet, or the address is wrong"
	case http.StatusForbidden, http.StatusTooManyRequests:
		return ": it may have been asked too often, try again later"
	}
	return ""
}

func readRelease(at *url.URL, body []byte) (Release, error) {
	var answer struct {
		TagName     string `json:"tag_name"`
		HTMLURL     string `json:"html_url"`
		PublishedAt string `json:"published_at"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return Release{}, fmt.Errorf("the answer of %s is not JSON of a release: %w", at.Host, err)
	}
	if answer.TagName == "" {
		return Release{}, fmt.Errorf("the answer of %s has no tag_name: is it the address of the newest release?", at.Host)
	}
	v, err := buildinfo.ParseVersion(answer.TagName)
	if err != nil {
		return Release{}, fmt.Errorf("the release of %s is named %.40q: %w", at.Host, answer.TagName, err)
	}
	out := Release{Version: v.String()}
	if u, err := url.Parse(answer.HTMLURL); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		out.URL = answer.HTMLURL
	}
	if t, err := time.Parse(time.RFC3339, answer.PublishedAt); err == nil {
		out.PublishedAt = t
	}
	return out, nil
}
