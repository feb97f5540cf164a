package redact

import (
	"strconv"
	"strings"

	"atelier/internal/lazyregexp"
)

// keyForms are what keys look like by themselves: of model providers, of common
// services, tokens in headers, JSON web tokens, private keys.
var keyForms = []*lazyregexp.Regexp{
	lazyregexp.New(`\b(?:sk|gsk|xai|pk|rk)[-_][A-Za-z0-9_-]{16,}`),
	lazyregexp.New(`\b(?:csk|pplx|fw|nvapi|tgp_v1|r8|npm|pypi|dop_v1|doo_v1|whsec|glsa|glc|shpat|dapi|lin_api)[-_][A-Za-z0-9_-]{16,}`),
	lazyregexp.New(`\bAIza[A-Za-z0-9_-]{20,}|\bya29\.[A-Za-z0-9_.-]{16,}|\bhf_[A-Za-z0-9]{16,}|\bA[KS]IA[A-Z0-9]{16}\b|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|\bAGE-SECRET-KEY-1[A-Z0-9]{30,}`),
	lazyregexp.New(`\b[a-z][a-z0-9+.-]{1,20}:\\*/\\*/[^\s/:@"'<>\\]{0,100}:([^\s/@"'<>\\]{8,100})@`), // in an address
	lazyregexp.New(`\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abprs]-[A-Za-z0-9-]{10,}`),
	lazyregexp.New(`(?i)\b(?:bearer|basic)\s+([A-Za-z0-9+/_.~=-]{16,})`),
	lazyregexp.New(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`),
	lazyregexp.New(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\+n|\\+r|\s)*([A-Za-z0-9+/=\s\\]{32,})`),
}

// keyNamed is a long value of something called a key, in JSON (escaped or not),
// YAML, a query or a shell.
var keyNamed = lazyregexp.New(`(?i)(?:key|token|secret|passwor[dt]|passwd|pwd|passphrase|credentials?)\\*["']?\s*[:=]\s*\\*["']?([A-Za-z0-9+/=_.~!@#$^*-]{8,})`)

// Learn takes out what in text looks like a key, also where the text is escaped.
func (r *Redactor) Learn(text string) {
	r.learn(text)
	if plain := unescape(text); plain != text {
		r.learn(plain)
	}
}

var escapes = lazyregexp.New(`\\+(?:[nrt/"']|u[0-9a-fA-F]{4})|%(?:25)*[0-9a-fA-F]{2}`)

// unescape undoes JSON and percent escapes, well enough to look for keys.
func unescape(s string) string {
	return escapes.ReplaceAllStringFunc(s, func(e string) string {
		if e[0] == '%' {
			b, _ := strconv.ParseUint(e[len(e)-2:], 16, 8) // two hexadecimal digits
			return string([]byte{byte(b)})
		}
		e = strings.TrimLeft(e, `\`)
		switch e[0] {
		case 'n', 'r', 't':
			return "\n"
		case 'u':
			c, _ := hex4(e)
			return string(c)
		}
		return e
	})
}

func (r *Redactor) learn(text string) {
	for _, re := range keyForms {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			key := m[0]
			if len(m) > 1 {
				key = m[1]
			}
			for _, part := range strings.FieldsFunc(strings.NewReplacer(`\n`, "\n", `\r`, "\n").Replace(key), func(c rune) bool { return c == '\n' || c == '\r' }) {
				r.Secret(strings.TrimRight(part, `.\`)) // a private key line by line
			}
		}
	}
	for _, m := range keyNamed.FindAllStringSubmatch(text, -1) {
		if v := strings.TrimRight(m[1], ".=!"); looksRandom(v) {
			r.Secret(v)
		}
	}
}

// looksRandom tells a key from a word or a number: it has letters and digits.
func looksRandom(s string) bool {
	if strings.HasPrefix(s, Mark) || strings.HasPrefix(s, "$") {
		return false
	}
	digits := strings.ContainsAny(s, "0123456789")
	letters := strings.ContainsFunc(s, func(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' })
	return digits && letters
}
