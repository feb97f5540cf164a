package openai

import (
	"bytes"
	"encoding/json"
	"strings"
)

// details are OpenRouter's reasoning_details: blocks of reasoning and signatures
// of the model behind it, which it wants back unchanged with the calls that
// followed them. In a stream the text of a block comes in pieces.
type details []map[string]json.RawMessage

// maxDetails bounds the blocks of an answer.
const maxDetails = 1000

// detailsReader puts details together from pieces.
type detailsReader struct {
	list details
	size int                         // bytes so far
	open map[string]*strings.Builder // texts of the last block that came in several pieces
}

// add takes the next pieces.
func (d *detailsReader) add(list []json.RawMessage) {
	for _, raw := range list {
		var next map[string]json.RawMessage
		if json.Unmarshal(raw, &next) != nil || next == nil {
			continue
		}
		if n := len(d.list); n > 0 && continues(d.list[n-1], next) {
			d.join(d.list[n-1], next)
			continue
		}
		if d.close(); len(d.list) < maxDetails {
			d.list = append(d.list, next)
			d.size += len(raw)
		}
	}
}

// continues reports whether b continues block a.
func continues(a, b map[string]json.RawMessage) bool {
	return string(a["type"]) != `"reasoning.encrypted"` && bytes.Equal(a["type"], b["type"]) && bytes.Equal(a["index"], b["index"])
}

// join takes next into the last block.
func (d *detailsReader) join(last, next map[string]json.RawMessage) {
	for k, v := range next {
		if (k == "text" || k == "summary") && d.joinText(last, k, v) {
			d.size += len(v)
			continue
		}
		if string(v) != "null" || last[k] == nil {
			d.size += len(v) - len(last[k])
			last[k] = v
		}
	}
}

// joinText appends to a text of the last block; false when one of both is none.
func (d *detailsReader) joinText(last map[string]json.RawMessage, key string, piece json.RawMessage) bool {
	var before, after string
	if json.Unmarshal(piece, &after) != nil || string(piece) == "null" && last[key] == nil {
		return false
	}
	if d.open[key] == nil {
		if json.Unmarshal(last[key], &before) != nil {
			return false
		}
		if d.open == nil {
			d.open = map[string]*strings.Builder{}
		}
		d.open[key] = &strings.Builder{}
		d.open[key].WriteString(before)
	}
	d.open[key].WriteString(after)
	return true
}

// close writes the texts of the last block into it.
func (d *detailsReader) close() details {
	for key, text := range d.open {
		d.list[len(d.list)-1][key] = asJSON(text.String())
	}
	d.open = nil
	return d.list
}

// named returns d with the ids of calls changed, as blocks belong to calls by them.
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

// unsignedDetails returns what OpenRouter takes for a call that Gemini did not make.
func unsignedDetails(id string) details {
	return details{{"type": asJSON("reasoning.encrypted"), "data": asJSON("skip_thought_signature_validator"), "id": asJSON(id),
		"format": asJSON("google-gemini-v1"), "index": asJSON(0)}}
}
