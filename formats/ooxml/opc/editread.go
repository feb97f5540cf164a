package opc

import (
	"context"
	"fmt"
)

// Read returns a part as it is in the edit, byte for byte. A part set as a
// stream cannot be read back.
func (e *Edit) Read(ctx context.Context, name string) ([]byte, error) {
	if w, ok := e.changed[foldName(name)]; ok {
		if d, ok := e.data[foldName(name)]; ok && w != nil {
			return d, nil
		}
		return nil, fmt.Errorf("opc: the part %q was removed or is a stream", name)
	}
	return e.pkg.Read(ctx, name)
}

// ContentType returns the media type of a part as it is in the edit, "" when
// unknown.
func (e *Edit) ContentType(ctx context.Context, name string) (string, error) {
	doc, err := e.ReadXML(ctx, contentTypesName)
	if err != nil {
		return "", err
	}
	types, err := parseContentTypes(doc)
	return types.typeOf(name), err
}
