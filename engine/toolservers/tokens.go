package toolservers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// kept are the tokens of a server, as the store of keys has them.
type kept struct {
	ClientID     string    `json:"client_id"`
	ClientSecret string    `json:"client_secret,omitempty"`
	InHeader     bool      `json:"in_header,omitempty"` // how the client shows who it is: RFC 6749, 2.3.1
	TokenURL     string    `json:"token_url"`
	Resource     string    `json:"resource,omitempty"` // RFC 8707
	Scopes       []string  `json:"scopes,omitempty"`
	Access       string    `json:"access_token"`
	Refresh      string    `json:"refresh_token,omitempty"`
	Expiry       time.Time `json:"expiry,omitzero"`
}

// keyName returns the name under which tokens are kept: those of another address, or of
// another folder's server of the same name, are others.
func keyName(r *resolved) string {
	sum := sha256.Sum256([]byte(r.decidedIn() + "\x00" + r.name + "\x00" + r.filled.URL))
	return "mcp-" + hex.EncodeToString(sum[:12])
}

func (p *Pool) tokens(r *resolved) (*kept, error) {
	text, err := p.opt.Keys.Get(keyName(r))
	if err != nil || text == "" {
		return nil, err
	}
	var k kept
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return nil, nil // they cannot be read: the person signs in again
	}
	return &k, nil
}

// tokenOf returns the token that is kept, "" for none.
func (p *Pool) tokenOf(r *resolved) string {
	if r.kind != kindHTTP {
		return ""
	}
	k, err := p.tokens(r)
	if err != nil || k == nil {
		return ""
	}
	return k.Access
}

func (p *Pool) keepTokens(r *resolved, k *kept) error {
	b, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return p.opt.Keys.Set(keyName(r), string(b))
}

func (p *Pool) forgetTokens(r resolved) error { return p.opt.Keys.Delete(keyName(&r)) }

func (p *Pool) signedIn(r resolved) bool {
	if r.kind != kindHTTP || hasAuthorization(r.filled.Headers) {
		return false
	}
	k, err := p.tokens(&r)
	return err == nil && k != nil
}

func hasAuthorization(headers map[string]string) bool {
	for name := range headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// keptAuth uses the tokens that are kept, and renews them. It never asks the person.
type keptAuth struct {
	p  *Pool
	r  *resolved
	mu sync.Mutex
}

// TokenSource implements auth.OAuthHandler.
func (a *keptAuth) TokenSource(context.Context) (oauth2.TokenSource, error) {
	k, err := a.p.tokens(a.r)
	if err != nil || k == nil {
		return nil, err
	}
	return a, nil
}

// renewBefore is how long before their end tokens are renewed.
const renewBefore = 30 * time.Second

// Token implements oauth2.TokenSource.
func (a *keptAuth) Token() (*oauth2.Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k, err := a.p.tokens(a.r)
	if err != nil {
		return nil, err
	}
	if k == nil {
		return nil, &oauth2.RetrieveError{ErrorCode: "invalid_grant"}
	}
	if !k.Expiry.IsZero() && a.p.opt.Now().Add(renewBefore).After(k.Expiry) && k.Refresh != "" {
		if k, err = a.renew(k); err != nil {
			return nil, err
		}
	}
	return &oauth2.Token{AccessToken: k.Access, TokenType: "Bearer"}, nil
}

// Authorize implements auth.OAuthHandler: tokens that do not do are renewed once.
func (a *keptAuth) Authorize(_ context.Context, req *http.Request, resp *http.Response) error {
	resp.Body.Close()
	need := &needSignIn{status: resp.StatusCode}
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err == nil {
		for _, c := range challenges {
			if c.Scheme == "bearer" {
				need.scopes = append(need.scopes, strings.Fields(clip(c.Params["scope"], 1000))...)
				if resp.StatusCode == http.StatusForbidden && c.Params["error"] != "insufficient_scope" {
					need.scopes = nil
				}
			}
		}
	}
	if resp.StatusCode == http.StatusForbidden && len(need.scopes) == 0 {
		return fmt.Errorf("it forbids the request (HTTP status %d)", resp.StatusCode)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	k, err := a.p.tokens(a.r)
	if err != nil {
		return err
	}
	if k == nil {
		a.p.wanted(a.r, need.scopes)
		return need
	}
	need.again = true
	switch {
	case resp.StatusCode == http.StatusForbidden:
		a.p.wanted(a.r, slices.Concat(k.Scopes, need.scopes))
		return need
	case req.Header.Get("Authorization") != "Bearer "+k.Access:
		return nil // another process, or another request, renewed them meanwhile
	case k.Refresh == "":
		return need
	}
	if _, err := a.renew(k); err != nil {
		var gone *oauth2.RetrieveError
		if errors.As(err, &gone) {
			return need
		}
		return err
	}
	return nil
}

// renew gets new tokens for the refresh token (RFC 6749, 6) and keeps them; mu is locked.
func (a *keptAuth) renew(k *kept) (*kept, error) {
	ctx, cancel := context.WithTimeout(a.p.ctx, a.p.opt.StartTime)
	defer cancel()
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {k.Refresh}}
	if k.Resource != "" {
		form.Set("resource", k.Resource)
	}
	if !k.InHeader {
		form.Set("client_id", k.ClientID)
		if k.ClientSecret != "" {
			form.Set("client_secret", k.ClientSecret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, k.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if k.InHeader {
		req.SetBasicAuth(url.QueryEscape(k.ClientID), url.QueryEscape(k.ClientSecret))
	}
	resp, err := a.p.signInClient(a.r).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxOther))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Access  string  `json:"access_token"`
		Refresh string  `json:"refresh_token"`
		Expires float64 `json:"expires_in"`
		Error   string  `json:"error"`
	}
	err = json.Unmarshal(b, &answer)
	if err != nil || answer.Access == "" || resp.StatusCode != http.StatusOK {
		// Another process may have used the refresh token, which counts once.
		if now, err := a.p.tokens(a.r); err == nil && now != nil && now.Access != k.Access {
			return now, nil
		}
		if resp.StatusCode >= 500 {
			return nil, fmt.Errorf("the authorization server answered with HTTP status %d", resp.StatusCode)
		}
		return nil, &oauth2.RetrieveError{ErrorCode: "invalid_grant"}
	}
	next := *k
	next.Access, next.Expiry = answer.Access, expiry(a.p.opt.Now(), answer.Expires)
	if answer.Refresh != "" {
		next.Refresh = answer.Refresh
	}
	return &next, a.p.keepTokens(a.r, &next)
}

func expiry(now time.Time, seconds float64) time.Time {
	if seconds <= 0 || seconds > 10*365*24*3600 {
		return time.Time{}
	}
	return now.Add(time.Duration(seconds) * time.Second)
}
