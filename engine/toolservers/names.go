package toolservers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// maxToolName is how long the name of a tool may be for endpoints of models.
const maxToolName = 64

// nameHash is how many characters tell names apart that would be the same.
const nameHash = 8

// legalName returns the name of a tool for a model. It depends on the two names only:
// where they can be written as SERVER__TOOL and be told apart from all others that can,
// it is that; else its end is a hash of them.
func legalName(server, tool string) string {
	plain := legal(server) + "__" + legal(tool)
	// The first "__" of a plain name is the one between the two.
	exact := legal(server) == server && legal(tool) == tool && !strings.Contains(server, "__") && !strings.HasSuffix(server, "_")
	if exact && len(plain) <= maxToolName {
		return plain
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	end := "_" + hex.EncodeToString(sum[:])[:nameHash]
	// Half of the rest for the server keeps the "__" and the beginning of the tool.
	room := maxToolName - len(end) - len("__")
	s, t := legal(server), legal(tool)
	if len(s) > room/2 && len(s)+len(t) > room {
		s = s[:max(room/2, room-len(t))]
	}
	return s + "__" + t[:min(len(t), room-len(s))] + end
}

// legal replaces what a name for a model cannot have.
func legal(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			return c
		}
		return '_'
	}, s)
}

// named gives tools their names, and leaves out those whose names are taken: that needs
// a name made for it.
func named(tools []Tool) (out []Tool, notes []string) {
	taken := map[string]string{}
	for _, t := range tools {
		t.Name = legalName(t.Server, t.Tool)
		if other, ok := taken[t.Name]; ok {
			notes = append(notes, fmt.Sprintf("tool %s of server %s is left out: its name for the model would be that of %s", t.Tool, t.Server, other))
			continue
		}
		taken[t.Name] = t.Tool + " of server " + t.Server
		if t.Name != t.Server+"__"+t.Tool {
			t.Notes = append(t.Notes, "the model knows it as "+t.Name)
		}
		out = append(out, t)
	}
	return out, notes
}
