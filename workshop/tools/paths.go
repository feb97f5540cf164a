package tools

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// PathsOf returns the files that a call names, as it names them, the one it is about
// first (I-20): by path, URI or docPath, one or many. A URI counts by its path;
// addresses on the web name no file.
func PathsOf(args json.RawMessage) []string {
	var a map[string]json.RawMessage
	if json.Unmarshal(args, &a) != nil {
		return nil
	}
	var out []string
	add := func(s string) {
		if s = filePath(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, name := range []string{"path", "uri", "docPath", "source", "from", "plan_file_path", "copy_from", "destination", "to", "target_path", "to_path"} {
		var s string
		if json.Unmarshal(a[name], &s) == nil {
			add(s)
		}
	}
	var many []string
	if json.Unmarshal(a["paths"], &many) == nil {
		for _, s := range many {
			add(s)
		}
	}
	var patched []struct {
		DocPath string `json:"docPath"`
	}
	if json.Unmarshal(a["files"], &patched) == nil {
		for _, f := range patched {
			add(f.DocPath)
		}
	}
	return out
}

// PathOf returns the first of PathsOf, "" when there is none.
func PathOf(args json.RawMessage) string {
	if all := PathsOf(args); len(all) > 0 {
		return all[0]
	}
	return ""
}

// filePath returns the path of a file: URI, "" for another address; what is no URI
// stays as it is.
func filePath(s string) string {
	scheme, rest, ok := strings.Cut(s, ":")
	switch {
	case !ok || strings.ContainsAny(scheme, "/.\\ "):
		return s
	case strings.EqualFold(scheme, "file"):
		if p, err := url.PathUnescape(rest); err == nil {
			rest = p
		}
		if space, ok := strings.CutPrefix(rest, "///"); ok {
			return space
		}
		if rest == "" || strings.HasPrefix(rest, "//") {
			return ""
		}
		return "files/" + strings.TrimPrefix(rest, "files/") // of the chat (C-41)
	case strings.HasPrefix(rest, "//"):
		return ""
	}
	return s
}
