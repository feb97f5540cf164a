package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Recipe identifies what else than a document its translations depend on.
func (o Options) Recipe() string {
	return strings.Join(o.To, ",") + " " + o.recipe() + o.shape()
}

// recipe names how machine translations are made: what another recipe made
// never fills, so that pseudo-translations do not reach a real job.
func (o Options) recipe() string {
	b, _ := json.Marshal([]any{o.From, o.Instructions, o.Glossary.Hash(), o.Protected.Hash(), o.Strict, o.Sentences})
	h := sha256.Sum256(b)
	return o.Engine.Name() + " " + hex.EncodeToString(h[:6])
}

// shape is what else a document's output depends on.
func (o Options) shape() string {
	s := ""
	if o.Segments.Masters {
		s += " masters"
	}
	if o.Segments.SheetNames {
		s += " sheet-names"
	}
	return s
}
