package ui

import (
	"embed"
	"fmt"
	"html"
	"path"
	"slices"
	"strings"

	"atelier/internal/lazyregexp"
)

//go:embed app
var appFiles embed.FS

// ReviewApp returns the review as one HTML document without anything outside it, made of
// the page's own parts: an MCP app (SEP-1865). tool is the tool that it calls through its
// host, with key.
func ReviewApp(tool, key string) (string, error) {
	script, err := bundle("review.js")
	if err != nil {
		return "", err
	}
	css := ""
	for _, name := range []string{"base.css", "work.css", "review.css", "sheet.css", "flow.css"} {
		b, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			return "", err
		}
		css += string(b)
	}
	if css, err = themed(css); err != nil {
		return "", err
	}
	if strings.Contains(strings.ToLower(script), "</script") || strings.Contains(strings.ToLower(css), "</style") {
		return "", fmt.Errorf("the review app would end its own script or style")
	}
	return fmt.Sprintf(`<!doctype html>
<html lang="en" data-tool="%s" data-key="%s">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Review of the draft</title>
<style>%s
html, body, #app { height: auto; min-height: 0; }
</style>
</head>
<body>
<div id="app"></div>
<div id="status" class="hide" role="status" aria-live="polite"></div>
<script type="module">%s</script>
</body>
</html>
`, html.EscapeString(tool), html.EscapeString(key), css, script), nil
}

// darkRules are the colours of the page in the dark.
var darkRules = lazyregexp.New(`(?s)@media \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}\s*\}`)

// themed lets the host of a frame choose light or dark, whatever the system prefers.
func themed(css string) (string, error) {
	m := darkRules.FindStringSubmatch(css)
	if m == nil {
		return "", fmt.Errorf("the styles of the page have no rules for the dark")
	}
	return strings.Replace(css, m[0], "@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) {"+m[1]+"} }\n:root[data-theme=dark] { color-scheme: dark;"+m[1]+"}\n:root[data-theme=light] { color-scheme: light; }", 1), nil
}

var (
	importLine = lazyregexp.New(`(?m)^import \{ ([\w, ]+) \} from "\./([\w.]+)";$`)
	exportLine = lazyregexp.New(`(?m)^export ((?:async )?function|class|const) (\w+)`)
)

// bundle returns the script of a module of the app with all that it imports: each module
// becomes a function that is called once and gives its exports.
func bundle(entry string) (string, error) {
	var out strings.Builder
	out.WriteString("const modules = {};\n")
	var done []string
	var add func(name string, above []string) error
	add = func(name string, above []string) error {
		if slices.Contains(done, name) {
			return nil
		}
		if slices.Contains(above, name) {
			return fmt.Errorf("the modules %s import each other", strings.Join(append(above, name), ", "))
		}
		b, err := appFiles.ReadFile(path.Join("app", name))
		if err != nil {
			if b, err = pageFiles.ReadFile(path.Join("page", name)); err != nil {
				return err
			}
		}
		text := string(b)
		for _, m := range importLine.FindAllStringSubmatch(text, -1) {
			if err := add(m[2], append(above, name)); err != nil {
				return err
			}
		}
		text = importLine.ReplaceAllString(text, `const { $1 } = modules["$2"];`)
		var names []string
		for _, m := range exportLine.FindAllStringSubmatch(text, -1) {
			names = append(names, m[2])
		}
		text = exportLine.ReplaceAllString(text, "$1 $2")
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "export ") {
				return fmt.Errorf("%s has a line that the bundle does not know: %s", name, line)
			}
		}
		if name == entry {
			fmt.Fprintf(&out, "\n// %s\n%s", name, text)
		} else {
			fmt.Fprintf(&out, "\n// %s\nmodules[%q] = (() => {\n%s\nreturn { %s };\n})();\n", name, name, text, strings.Join(names, ", "))
		}
		done = append(done, name)
		return nil
	}
	err := add(entry, nil)
	return out.String(), err
}
