package tools

import (
	"context"

	"atelier/formats"
	"atelier/workshop"
)

// OpenFile resolves a path, opens the file and detects its format.
func OpenFile(ctx context.Context, env *Env, path string) (workshop.Source, *formats.Format, error) {
	p, err := ParsePath(path)
	if err != nil {
		return nil, nil, err
	}
	src, err := env.View.Open(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	f, err := env.Formats.Detect(ctx, src)
	if err != nil {
		src.Close()
		return nil, nil, err
	}
	return src, f, nil
}

// ParsePath parses a required path by the rules of the workshop catalogue; an
// empty path is an error.
func ParsePath(path string) (workshop.Path, error) {
	p, err := workshop.ParseStrict(path)
	if err != nil {
		return "", err
	}
	if p == "" {
		return "", missingArgument("path")
	}
	return p, nil
}
