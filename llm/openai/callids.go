package openai

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"regexp"

	"atelier/llm/models"
)

var (
	anyID  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)
	nineID = regexp.MustCompile(`^[A-Za-z0-9]{9}$`)
	// refusedID are the words of an endpoint that wants ids of another form,
	// lower case: Mistral and vLLM ("tool call id was … but must be a-z, a-z, 0-9,
	// with a length of 9"), Anthropic ("tool_use.id: string should match pattern"),
	// OpenAI ("tool_calls[0].id: string too long").
	refusedID = regexp.MustCompile(`tool[ _](call|use)[ _.]?id.{0,120}must be|tool_use(_id|\.id).{0,80}match pattern|(tool_call_id|tool_calls\[\d+\]\.id).{0,80}(too long|match pattern)`)
)

// sentID returns the id of a call in the form an endpoint takes. The same id always
// becomes the same other one, so calls and their results stay together.
func sentID(id, form string) string {
	sum := sha256.Sum256([]byte(id))
	switch {
	case id == "", form == "", form == models.CallIDsAny && anyID.MatchString(id), form == models.CallIDsNine && nineID.MatchString(id):
		return id
	case form == models.CallIDsNine:
		const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		n := binary.BigEndian.Uint64(sum[:])
		out := make([]byte, 9)
		for i := range out {
			out[i] = letters[n%62]
			n /= 62
		}
		return string(out)
	}
	return "call_" + hex.EncodeToString(sum[:12])
}
