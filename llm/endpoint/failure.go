package endpoint

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"atelier/internal/lazyregexp"
	"atelier/llm"
)

// MaxErrorBody is how much of an error body is read.
const MaxErrorBody = 64 << 10

// FailureOf makes the typed error of an HTTP status (0: the answer itself was
// an error) with body (L-06). secret is kept out of it.
func FailureOf(status int, h http.Header, body []byte, secret string) *llm.Error {
	r := ReadRefusal(body)
	if status == 0 && r.Status >= 400 && r.Status < 600 {
		status = r.Status
	}
	msg := r.Message
	switch {
	case msg == "" && r.page:
		msg = "it sent a web page instead of an answer"
	case msg == "" && status != 0:
		msg = strings.ToLower(http.StatusText(status))
	case msg == "":
		msg = "it reported an error without saying which"
	}
	return &llm.Error{Kind: r.kind(status), Status: status, Message: Clean(msg, secret), RetryAfter: RetryAfter(h)}
}

// Refusal is what an error body says.
type Refusal struct {
	Message string
	codes   string // codes and types, lower case
	Status  int    // a status inside the body
	page    bool   // the body is a web page
}

// ReadRefusal reads the error bodies seen in the wild: {"error":{…}},
// {"error":"…"}, {"object":"error",…}, {"detail":…}, {"message":…}, a list of
// one of these, or words.
func ReadRefusal(body []byte) Refusal {
	var r Refusal
	s := strings.TrimSpace(string(body))
	if strings.HasPrefix(s, "<") {
		r.page = true
		return r
	}
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		r.Message = s
		return r
	}
	r.collect(v, 0)
	r.codes = strings.ToLower(r.codes)
	return r
}

func (r *Refusal) collect(v any, depth int) {
	if depth > 4 {
		return
	}
	switch v := v.(type) {
	case string:
		if r.Message == "" {
			r.Message = v
		}
	case []any:
		for _, e := range v {
			r.collect(e, depth+1)
		}
	case map[string]any:
		for _, k := range []string{"code", "type", "status"} {
			r.code(v[k])
		}
		for _, k := range []string{"error", "message", "detail", "msg", "choices"} {
			r.collect(v[k], depth+1)
		}
	}
}

func (r *Refusal) code(v any) {
	switch v := v.(type) {
	case float64:
		r.Status = int(v)
	case string:
		if n, err := strconv.Atoi(v); err == nil {
			r.Status = n
		}
		r.codes += " " + v
	}
}

// tooLong are the words of endpoints whose model's window is too small for a
// request: OpenAI, vLLM, llama.cpp, Anthropic, Gemini, Mistral, Ollama, Groq,
// OpenRouter, DeepSeek.
var tooLong = lazyregexp.New(`context[_ ](length|window|size)[_ a-z]*(exceed|too|error)|exceed[a-z_ ]*context|maximum (context|model|prompt) length|` +
	`prompt (is )?too long|input (is )?too long|too many (input )?tokens|input token count|tokens? exceeds? |exceeds? the (model'?s? )?(max|limit|context|available)|` +
	`reduce the length of|request too large for model|larger than the (model|context)|context length of only|string_above_max_length`)

func (r *Refusal) kind(status int) llm.Kind {
	words := r.codes + " " + strings.ToLower(r.Message)
	has := func(list ...string) bool {
		for _, w := range list {
			if strings.Contains(words, w) {
				return true
			}
		}
		return false
	}
	refused := status == 0 || status == 400 || status == 413 || status == 422 || status == 500
	switch {
	case refused && tooLong.MatchString(words) || status == 413:
		return llm.KindContextLength
	case status == 401 || status == 403:
		return llm.KindUnauthorized
	case status == 429:
		return llm.KindRateLimited
	case status >= 500 || status == 409 || status == 425:
		return llm.KindUnavailable
	case status == 408:
		return llm.KindNetwork
	case status == 400 && has("invalid_api_key", "api key not valid", "api_key_invalid"):
		return llm.KindUnauthorized
	case status != 0:
		return llm.KindInvalid
	case has("rate_limit", "rate limit", "insufficient_quota", "too many requests", "resource_exhausted"):
		return llm.KindRateLimited
	case has("invalid_api_key", "authentication", "unauthorized", "permission_denied"):
		return llm.KindUnauthorized
	case has("invalid_request", "invalid_argument", "not_found", "bad_request", "badrequest"):
		return llm.KindInvalid
	default:
		return llm.KindUnavailable
	}
}

// RetryAfter reads how long to wait from retry-after-ms (milliseconds) or
// Retry-After (seconds, or a date: RFC 9110 section 10.2.3). A date counts from
// the response's own Date when it has one, so a wrong local clock does no harm.
// It is 0 when nothing usable was sent.
func RetryAfter(h http.Header) time.Duration {
	if d, ok := wait(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	v := h.Get("Retry-After")
	if d, ok := wait(v, time.Second); ok {
		return d
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(0, at.Sub(now))
}

func wait(v string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || !(f > 0 && f < 1e9) {
		return 0, err == nil
	}
	return time.Duration(f * float64(unit)), true
}

// keyLike matches what looks like a key, also a partly masked one.
var keyLike = lazyregexp.New(`\b(sk|pk|rk|gsk|xai|key|AIza)[-_][A-Za-z0-9*_.-]{6,}|\bAIza[A-Za-z0-9_-]{10,}|(?i:bearer)\s+[^\s"']+`)

// Clean makes text of an endpoint fit for an error: one line, bounded, without
// the key or anything like one (L-11).
func Clean(s, secret string) string {
	s = hide(s, secret)
	s = keyLike.ReplaceAllString(s, "[key]")
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if r := []rune(s); len(r) > 500 {
		s = string(r[:500]) + "…"
	}
	return s
}

// hide replaces secret in s, also the part of it that s ends in when s was cut.
// Anything shorter than four bytes is not taken as a secret.
func hide(s, secret string) string {
	if len(secret) < 4 {
		return s
	}
	s = strings.ReplaceAll(s, secret, "[key]")
	for n := len(secret) - 1; n >= 4; n-- {
		if strings.HasSuffix(s, secret[:n]) {
			return s[:len(s)-n] + "[key]"
		}
	}
	return s
}
