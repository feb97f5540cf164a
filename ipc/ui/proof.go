package ui

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// The two who prove that they have a session's key (RFC 2104 with SHA-256).
const (
	roleServer = "atelier server"
	rolePage   = "atelier page"
)

// prove makes the proof of one side. host is what the page was opened at, so
// that a proof made for one address is none at another.
func prove(key []byte, role, host string, nonces ...string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(role + "\n" + host + "\n" + strings.Join(nonces, "\n")))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// proven reports whether proof is that of one side.
func proven(proof string, key []byte, role, host string, nonces ...string) bool {
	return hmac.Equal([]byte(proof), []byte(prove(key, role, host, nonces...)))
}

// validNonce reports whether a nonce can be part of a proof.
func validNonce(s string) bool {
	return len(s) >= 22 && len(s) <= 64 && !strings.ContainsAny(s, "\n\r")
}

func newNonce() string { return base64.RawURLEncoding.EncodeToString(randomBytes(32)) }
