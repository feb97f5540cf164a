package httpapi

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"atelier/internal/lazyregexp"
	"atelier/ipc/accounts"
)

// SecretMin is the minimum length of a signing secret (H-15).
const SecretMin = 32

// DefaultLifetime is how long an access token is valid (H-15).
const DefaultLifetime = 15 * time.Minute

// Tokens creates and checks access tokens: JWT, HS256 only, with the claims
// sub (a user's UUID), iat and exp (RFC 7519), and with how often tokens of the user were
// taken back before.
type Tokens struct {
	secret   []byte
	lifetime time.Duration
	now      func() time.Time
	issuer   string // required iss of tokens; "" requires none
	audience string // required aud, likewise
}

// issuedAhead is how far the clock of a token's issuer may be ahead of ours.
const issuedAhead = time.Minute

// Demand sets the claims iss and aud (RFC 7519, 4.1) that tokens are created
// with and must have; "" requires none. Call it before the first use.
func (t *Tokens) Demand(issuer, audience string) { t.issuer, t.audience = issuer, audience }

// NewTokens checks the secret. A lifetime of 0 is DefaultLifetime, a nil
// clock time.Now.
func NewTokens(secret string, lifetime time.Duration, now func() time.Time) (*Tokens, error) {
	if n := len([]rune(secret)); n < SecretMin {
		return nil, fmt.Errorf("the secret for access tokens has %d characters; it needs at least %d", n, SecretMin)
	}
	if lifetime < 0 {
		return nil, fmt.Errorf("the lifetime of access tokens cannot be %s", lifetime)
	}
	if lifetime == 0 {
		lifetime = DefaultLifetime
	}
	if now == nil {
		now = time.Now
	}
	return &Tokens{secret: []byte(secret), lifetime: lifetime, now: now}, nil
}

// claimSet are the claims of a token. Those of other programs have no Revocations.
type claimSet struct {
	jwt.RegisteredClaims
	Revocations *int64 `json:"revocations,omitempty"`
}

// Mint creates a token for a user; lifetime 0 is the default.
func (t *Tokens) Mint(u accounts.User, lifetime time.Duration) (token string, expires time.Time, err error) {
	if lifetime <= 0 {
		lifetime = t.lifetime
	}
	now := t.now()
	expires = now.Add(lifetime).Truncate(time.Second)
	claims := claimSet{jwt.RegisteredClaims{Issuer: t.issuer, Subject: u.ID, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires)}, &u.Revocations}
	if t.audience != "" {
		claims.Audience = jwt.ClaimStrings{t.audience}
	}
	token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(t.secret)
	return token, expires, err
}

// tokenForm is three parts in the alphabet of RFC 7515.
var tokenForm = lazyregexp.New(`^[\w-]+\.[\w-]+\.[\w-]*$`)

// tokenFault says why a token is refused, in the words of the API (H-07).
type tokenFault string

func (f tokenFault) Error() string { return string(f) }

// Check returns the user of a token. Its errors are for the caller of the API
// (H-07).
func (t *Tokens) Check(token string) (userID string, err error) {
	c, err := t.read(token)
	return c.user, err
}

// tokenClaims are what a valid token says.
type tokenClaims struct {
	user            string
	issued, expires time.Time // issued is zero if the token does not say it
	revocations     *int64    // nil if the token does not say it
}

// taken reports whether the token was taken back from its user: by the count, since the clock
// of who took it back may be behind, or by the time, for tokens without a count.
func (c tokenClaims) taken(u accounts.User) bool {
	if c.revocations != nil && *c.revocations < u.Revocations {
		return true
	}
	return u.RevokedUntil != 0 && (c.issued.IsZero() || c.issued.Unix() <= u.RevokedUntil)
}

// read checks a token, as Check does.
func (t *Tokens) read(token string) (c tokenClaims, err error) {
	if !tokenForm.MatchString(token) { // base64 would accept a line break
		return c, tokenFault("Invalid token: it is malformed")
	}
	var claims claimSet
	options := []jwt.ParserOption{jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithTimeFunc(t.now), jwt.WithStrictDecoding()}
	if t.issuer != "" {
		options = append(options, jwt.WithIssuer(t.issuer))
	}
	if t.audience != "" {
		options = append(options, jwt.WithAudience(t.audience))
	}
	parsed, err := jwt.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return t.secret, nil }, options...)
	if err == nil && claims.IssuedAt != nil && claims.IssuedAt.After(t.now().Add(issuedAhead)) {
		err = jwt.ErrTokenUsedBeforeIssued
	}
	switch {
	case err == nil:
	case parsed != nil && parsed.Header["alg"] != nil && parsed.Header["alg"] != jwt.SigningMethodHS256.Alg():
		return c, tokenFault("Invalid token: it is not signed with HS256")
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return c, tokenFault("Invalid token signature")
	case errors.Is(err, jwt.ErrTokenExpired):
		return c, tokenFault("Token has expired")
	case errors.Is(err, jwt.ErrTokenInvalidIssuer) || errors.Is(err, jwt.ErrTokenRequiredClaimMissing) && t.issuer != "" && claims.Issuer == "":
		return c, tokenFault("Invalid token: the claim iss is not the one that this server demands")
	case errors.Is(err, jwt.ErrTokenInvalidAudience) || errors.Is(err, jwt.ErrTokenRequiredClaimMissing) && t.audience != "" && len(claims.Audience) == 0:
		return c, tokenFault("Invalid token: the claim aud is not the one that this server demands")
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return c, tokenFault("Invalid token: the claim exp is missing")
	case errors.Is(err, jwt.ErrTokenNotValidYet), errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return c, tokenFault("Invalid token: it is not valid yet")
	default:
		return c, tokenFault("Invalid token: it is malformed")
	}
	id, err := uuid.Parse(claims.Subject)
	if err != nil {
		return c, tokenFault("Invalid token: the claim sub is not a user id")
	}
	c = tokenClaims{user: id.String(), expires: claims.ExpiresAt.Time, revocations: claims.Revocations}
	if claims.IssuedAt != nil {
		c.issued = claims.IssuedAt.Time
	}
	return c, nil
}
