package httpapi

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// SecretMin is the fewest characters a signing secret may have (H-15).
const SecretMin = 32

// DefaultLifetime is how long an access token is valid (H-15).
const DefaultLifetime = 15 * time.Minute

// Tokens makes and checks access tokens: JWT, HS256 only, with the claims sub
// (a user's UUID), iat and exp (RFC 7519).
type Tokens struct {
	secret   []byte
	lifetime time.Duration
	now      func() time.Time
}

// NewTokens checks the secret. A lifetime of 0 is DefaultLifetime, a nil clock
// time.Now.
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
	return &Tokens{[]byte(secret), lifetime, now}, nil
}

// Mint makes a token for a user; lifetime 0 is the usual one.
func (t *Tokens) Mint(userID string, lifetime time.Duration) (token string, expires time.Time, err error) {
	if lifetime <= 0 {
		lifetime = t.lifetime
	}
	now := t.now()
	expires = now.Add(lifetime).Truncate(time.Second)
	token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{
		Subject: userID, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires),
	}).SignedString(t.secret)
	return token, expires, err
}

// tokenForm is three parts in the alphabet of RFC 7515.
var tokenForm = regexp.MustCompile(`^[\w-]+\.[\w-]+\.[\w-]*$`)

// tokenFault is why a token is refused, in the API's words (H-07).
type tokenFault string

func (f tokenFault) Error() string { return string(f) }

// Check returns the user a token was made for. Its errors are for the caller
// of the API (H-07).
func (t *Tokens) Check(token string) (userID string, err error) {
	if !tokenForm.MatchString(token) { // base64 would read over a line break
		return "", tokenFault("Invalid token: it is malformed")
	}
	var claims jwt.RegisteredClaims
	parsed, err := jwt.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return t.secret, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithTimeFunc(t.now), jwt.WithStrictDecoding())
	switch {
	case err == nil:
	case parsed != nil && parsed.Header["alg"] != nil && parsed.Header["alg"] != jwt.SigningMethodHS256.Alg():
		return "", tokenFault("Invalid token: it is not signed with HS256")
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return "", tokenFault("Invalid token signature")
	case errors.Is(err, jwt.ErrTokenExpired):
		return "", tokenFault("Token has expired")
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return "", tokenFault("Invalid token: the claim exp is missing")
	case errors.Is(err, jwt.ErrTokenNotValidYet), errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return "", tokenFault("Invalid token: it is not valid yet")
	default:
		return "", tokenFault("Invalid token: it is malformed")
	}
	id, err := uuid.Parse(claims.Subject)
	if err != nil {
		return "", tokenFault("Invalid token: the claim sub is not a user id")
	}
	return id.String(), nil
}
