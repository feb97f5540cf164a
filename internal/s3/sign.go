package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// emptyHash is the SHA-256 of no bytes.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// sign signs a request whose body has the hash, by Signature Version 4 of AWS with the
// payload in one piece:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
func (c *Client) sign(r *http.Request, hash string, now time.Time) {
	now = now.UTC()
	day := now.Format("20060102")
	r.Header.Set("X-Amz-Date", now.Format("20060102T150405Z"))
	r.Header.Set("X-Amz-Content-Sha256", hash)
	if c.cfg.Token != "" {
		r.Header.Set("X-Amz-Security-Token", c.cfg.Token)
	}
	names, lines := signedHeaders(r)
	canonical := strings.Join([]string{r.Method, encoded(r.URL.Path, true), query(r.URL.Query()), lines, names, hash}, "\n")
	sum := sha256.Sum256([]byte(canonical))
	scope := day + "/" + c.cfg.Region + "/s3/aws4_request"
	text := "AWS4-HMAC-SHA256\n" + now.Format("20060102T150405Z") + "\n" + scope + "\n" + hex.EncodeToString(sum[:])
	key := []byte("AWS4" + c.cfg.Secret)
	for _, part := range []string{day, c.cfg.Region, "s3", "aws4_request"} {
		key = mac(key, part)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+c.cfg.Key+"/"+scope+",SignedHeaders="+names+",Signature="+hex.EncodeToString(mac(key, text)))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// signedHeaders are the names of the headers that are signed, and a line for each.
func signedHeaders(r *http.Request) (names, lines string) {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	values := map[string]string{"host": host}
	for name, v := range r.Header {
		switch name = strings.ToLower(name); name {
		case "authorization", "expect", "user-agent", "content-length": // set or changed on the way
		default:
			values[name] = strings.TrimSpace(strings.Join(v, ","))
		}
	}
	var list []string
	for name := range values {
		list = append(list, name)
	}
	slices.Sort(list)
	var b strings.Builder
	for _, name := range list {
		b.WriteString(name + ":" + values[name] + "\n")
	}
	return strings.Join(list, ";"), b.String()
}

// query is a query in the order of its names.
func query(v url.Values) string {
	var list []string
	for name, all := range v {
		for _, value := range all {
			list = append(list, encoded(name, false)+"="+encoded(value, false))
		}
	}
	slices.Sort(list)
	return strings.Join(list, "&")
}

// encoded is a text as signatures have it: other bytes than letters, digits and -._~ as %XX.
func encoded(s string, slashes bool) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch ch := s[i]; {
		case 'a' <= ch && ch <= 'z', 'A' <= ch && ch <= 'Z', '0' <= ch && ch <= '9', strings.IndexByte("-._~", ch) >= 0, ch == '/' && slashes:
			b.WriteByte(ch)
		default:
			b.Write([]byte{'%', hexDigits[ch>>4], hexDigits[ch&15]})
		}
	}
	return b.String()
}
