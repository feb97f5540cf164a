package docs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// HashArgs are the arguments of hash.
type HashArgs struct{ DocPath workshop.DocPath }

// Hashed is the result of hash.
type Hashed struct {
	SHA256 string // lowercase hex, of the content as UTF-8
	Size   int64  // bytes
}

// Hash gives the hash of an active file: the base of an edit of it (F-34). The
// hash of the workbench's own files comes with reading them.
func Hash() *tools.Tool {
	return tools.New("hash", "Give the SHA-256 of a file that is active in this session.", tools.Read,
		func(_ context.Context, env *tools.Env, a HashArgs) (any, error) {
			f, ok := env.Session.ActiveFile(a.DocPath)
			if !ok {
				return nil, workshop.Faultf(workshop.NotFound, "%s is not an active file", a.DocPath).OnField("docPath")
			}
			return Hashed{f.SHA256(), f.SizeBytes}, nil
		})
}

// CodeHashArgs are the arguments of hash_code.
type CodeHashArgs struct{ Content string }

// CodeHash hashes source text so that what an editor does to white space at the
// ends does not matter: see Normalize.
func CodeHash() *tools.Tool {
	return tools.New("hash_code", "Give the SHA-256 of source text with its line ends normalised.", tools.Read,
		func(_ context.Context, _ *tools.Env, a CodeHashArgs) (any, error) {
			n := Normalize(a.Content)
			sum := sha256.Sum256([]byte(n))
			return Hashed{hex.EncodeToString(sum[:]), int64(len(n))}, nil
		})
}

// lineMax is the most characters of a line that count in Normalize.
const lineMax = 500

// Normalize makes every line end a "\n", also the last, and cuts lines to 500
// characters (P-14).
func Normalize(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	if s == "" {
		return ""
	}
	var sb strings.Builder
	sb.Grow(len(s) + 1)
	for l := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		n := 0
		for i := range l {
			if n == lineMax {
				l = l[:i]
				break
			}
			n++
		}
		sb.WriteString(l)
		sb.WriteByte('\n')
	}
	return sb.String()
}
