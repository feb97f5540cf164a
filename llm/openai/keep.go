package openai

import (
	"encoding/json"

	"atelier/llm"
)

// notKept stands for reasoning that is not known any more, or was another
// model's, where an endpoint insists on some.
const notKept = "(not kept)"

// unsigned is what Gemini takes in place of its signature on a call that it did
// not make (its documentation of thought signatures).
const unsigned = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// unsignedFunction is the same where Portkey stands before Gemini.
const unsignedFunction = `"skip_thought_signature_validator"`

// keep is the content of llm.ToolCall.Keep: what the endpoint gave with a call
// and wants back with it. Nobody but the same model at the same endpoint gets it.
type keep struct {
	Host      string          `json:"host"`
	Model     string          `json:"model"`
	Reasoning string          `json:"reasoning,omitempty"` // before the answer; with its first call
	Extra     json.RawMessage `json:"extra,omitempty"`     // extra_content of the call; a string is thought_signature of its function
	ID        string          `json:"id,omitempty"`        // of the call as it came, where Details go by it
	Details   details         `json:"details,omitempty"`   // of the answer; with its first call
}

func (k keep) String() string {
	if k.Reasoning == "" && len(k.Extra) == 0 && k.ID == "" {
		return ""
	}
	b, err := json.Marshal(k)
	if err != nil {
		return ""
	}
	return string(b)
}

// kept reads back what host gave with a call to model; the zero value when it
// was another's.
func kept(c llm.ToolCall, host, model string) keep {
	var k keep
	if c.Keep == "" || json.Unmarshal([]byte(c.Keep), &k) != nil || k.Host != host || k.Model != model {
		return keep{}
	}
	return k
}
