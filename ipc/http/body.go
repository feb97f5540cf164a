package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
	"unicode/utf8"

	"atelier/internal/lenient"
)

// BodyMax is the maximum size of a request body in bytes (H-18).
const BodyMax = 10 << 20

// readBody decodes a request's JSON object into v and ignores unknown members
// . optional allows an empty body.
func readBody(w http.ResponseWriter, r *http.Request, v any, optional bool) error {
	if ct := r.Header.Get("Content-Type"); ct != "" {
		if t, _, err := mime.ParseMediaType(ct); err != nil || t != "application/json" {
			return fail(http.StatusUnsupportedMediaType, codeValidation, "Content-Type must be application/json")
		}
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, BodyMax))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return fail(http.StatusRequestEntityTooLarge, codeValidation, fmt.Sprintf("The request body is larger than %d MiB", BodyMax>>20))
	case err != nil:
		return invalid("The request body could not be read to its end")
	}
	readAll(w)
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0 && optional:
		return nil
	case len(b) == 0:
		return invalid("The request body is empty; send a JSON object")
	case !utf8.Valid(b): // encoding/json would replace invalid bytes
		return invalid("The request body is not valid UTF-8")
	case b[0] != '{' && json.Valid(b):
		return invalid("The request body must be a JSON object")
	}
	return bodyError(b, json.Unmarshal(b, v))
}

// readAll removes the read deadline: the request is complete, and the server
// would cancel the work at the deadline.
func readAll(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // not every connection has deadlines
}

// bodyError describes what is wrong in the body, and where.
func bodyError(b []byte, err error) error {
	var (
		syntax *json.SyntaxError
		typ    *json.UnmarshalTypeError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		line, column := position(b, syntax.Offset)
		return invalid(fmt.Sprintf("Invalid JSON: %s at line %d column %d", syntax, line, column))
	case errors.As(err, &typ) && typ.Field != "":
		return invalid(fmt.Sprintf("invalid type for `%s`: expected %s, got %s", typ.Field, lenient.TypeName(typ.Type), typ.Value))
	}
	return invalid("Invalid JSON: " + err.Error())
}

// position converts a byte offset to a line and column, both 1-based.
func position(b []byte, offset int64) (line, column int) {
	head := b[:min(int(offset), len(b))]
	line = 1 + bytes.Count(head, []byte("\n"))
	return line, len(head) - bytes.LastIndexByte(head, '\n') - 1
}

// isObject reports whether raw is a JSON object.
func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

// absent reports whether a member is missing or null.
func absent(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || bytes.Equal(raw, []byte("null"))
}
