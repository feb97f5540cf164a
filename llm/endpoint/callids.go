package endpoint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/llm/models"
)

var (
	anyID  = lazyregexp.New(`^[A-Za-z0-9_-]{1,40}$`)
	nineID = lazyregexp.New(`^[A-Za-z0-9]{9}$`)
	// RefusedID are the words of an endpoint that wants ids of another form,
	// lower case: Mistral and vLLM ("tool call id was … but must be a-z, a-z, 0-9,
	// with a length of 9"), Anthropic ("tool_use.id: string should match pattern"),
	// OpenAI ("tool_calls[0].id: string too long").
	RefusedID = lazyregexp.New(`tool[ _](call|use)[ _.]?id.{0,120}must be|tool_use(_id|\.id).{0,80}match pattern|(tool_call_id|tool_calls\[\d+\]\.id).{0,80}(too long|match pattern)`)
)

// SentID returns the id of a call in the form an endpoint takes. The same id always
// becomes the same other one, so calls and their results stay together.
func SentID(id, form string) string {
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

// SentArguments gives the arguments of an earlier call as an endpoint takes
// them: an object. Several parse them and refuse the whole conversation for one
// call that the model wrote badly (Anthropic behind gateways, Ollama and Gemini
// also for a list or a text), so anything else is sent wrapped in an object.
func SentArguments(args string) string {
	args = strings.TrimSpace(args)
	if args == "" || args == "null" {
		return "{}"
	}
	if args[0] == '{' && json.Valid([]byte(args)) {
		return args
	}
	b, err := json.Marshal(map[string]string{"malformed_arguments": args})
	if err != nil {
		return "{}"
	}
	return string(b)
}
