package openai

import (
	"bytes"
	"encoding/json"
)

// details are OpenRouter's reasoning_details: blocks of reasoning and signatures
// of the model behind it, which it wants back unchanged with the calls that
// followed them. In a stream the text of a block comes in pieces.
type details []map[string]json.RawMessage

// maxDetails bounds the blocks of an answer.
const maxDetails = 1000

// add takes the next pieces.
func (d *details) add(list []json.RawMessage) {
	for _, raw := range list {
		var next map[string]json.RawMessage
		if json.Unmarshal(raw, &next) != nil || next == nil {
			continue
		}
		if n := len(*d); n > 0 && continues((*d)[n-1], next) {
			(*d)[n-1] = join((*d)[n-1], next)
			continue
		}
		if len(*d) < maxDetails {
			*d = append(*d, next)
		}
	}
}

// continues reports whether b goes on with block a.
func continues(a, b map[string]json.RawMessage) bool {
	return string(a["type"]) != `"reasoning.encrypted"` && bytes.Equal(a["type"], b["type"]) && bytes.Equal(a["index"], b["index"])
}

func join(a, b map[string]json.RawMessage) map[string]json.RawMessage {
	for k, v := range b {
		var before, after string
		if (k == "text" || k == "summary") && json.Unmarshal(a[k], &before) == nil && json.Unmarshal(v, &after) == nil {
			v = asJSON(before + after)
		}
		if string(v) != "null" || a[k] == nil {
			a[k] = v
		}
	}
	return a
}

// named is d with the ids of calls changed, as blocks belong to calls by them.
func (d details) named(ids map[string]string) details {
	out := make(details, len(d))
	for i, block := range d {
		out[i] = block
		var id string
		if json.Unmarshal(block["id"], &id) != nil || ids[id] == "" || ids[id] == id {
			continue
		}
		out[i] = map[string]json.RawMessage{}
		for k, v := range block {
			out[i][k] = v
		}
		out[i]["id"] = asJSON(ids[id])
	}
	return out
}

// unsignedDetails are what OpenRouter takes for a call that Gemini did not make.
func unsignedDetails(id string) details {
	return details{{"type": asJSON("reasoning.encrypted"), "data": asJSON("skip_thought_signature_validator"), "id": asJSON(id),
		"format": asJSON("google-gemini-v1"), "index": asJSON(0)}}
}
