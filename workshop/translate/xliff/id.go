package xliff

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// encodeID encodes a segment's id as an XML name token (XML 1.0, production
// 7): ASCII letters, digits, '-', '.' and ':' stay, every other character
// becomes _hex_. decodeID is the inverse.
func encodeID(id string) string {
	var b strings.Builder
	for i := 0; i < len(id); {
		c, n := utf8.DecodeRuneInString(id[i:])
		i += n
		if c < utf8.RuneSelf && plainInID(byte(c)) {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, "_%x_", c)
		}
	}
	if b.Len() == 0 {
		return "__"
	}
	return b.String()
}

func plainInID(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == ':'
}

// decodeID returns the segment's id. A token that encodeID cannot have
// written is returned unchanged.
func decodeID(token string) string {
	if token == "__" {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] != '_' {
			b.WriteByte(token[i])
			continue
		}
		end := strings.IndexByte(token[i+1:], '_')
		if end < 0 {
			return token
		}
		c, err := strconv.ParseUint(token[i+1:i+1+end], 16, 32)
		if err != nil || c > utf8.MaxRune {
			return token
		}
		b.WriteRune(rune(c))
		i += end + 1
	}
	return b.String()
}
