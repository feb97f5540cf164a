package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
	"atelier/llm"
	"atelier/llm/replay"
)

// host is a program that others wrote, which gives a model the tools of MCP servers.
type host struct {
	name    string
	modules []string // of npm
	prefix  string   // before the names of our tools
	// search is a call of the host's tool that a model calls before it can call ours.
	search string
	task   hostTask
	// refused is what the model is told when it wants to publish: nobody is there to ask.
	refused string
	// images reports whether the model gets pictures.
	images bool
	// start returns the command; h is where the program and its folder are.
	start func(h hostPlace) *exec.Cmd
}

// hostTask is a change of a document and what the review says of it.
type hostTask struct{ path, read, tool, operation, changed string }

var (
	workbookTask = hostTask{"sales.xlsx", "Ventas del primer trimestre", "xlsx_operations", `{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A1","value":"Summary"}]}`, "Summary"}
	documentTask = hostTask{"contrato.docx", "Contrato de distribución", "docx_operations", `{"op":"replace_text","search":"Casa Lisboa, Lda.","replace":"Casa Porto, Lda."}`, "Casa Porto"}
	deckTask     = hostTask{"presentacion.pptx", "Plan comercial 2026", "pptx_operations", `{"op":"set_slide_text","index":1,"title":"Plan 2027"}`, "Plan 2027"}
)

// hostPlace is where a host is installed and works.
type hostPlace struct {
	t                     *testing.T
	modules, home, folder string
	endpoint              string // without /v1
	// config is how docs/agents.md sets the host up.
	config string
}

// file writes a file of the host's settings into its home folder.
func (p hostPlace) file(name, content string) string {
	p.t.Helper()
	path := filepath.Join(p.home, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(p.t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// merged adds members to the object that docs/agents.md sets the host up with.
func (p hostPlace) merged(more string) string {
	p.t.Helper()
	var all map[string]any
	require.NoError(p.t, json.Unmarshal([]byte(p.config), &all))
	require.NoError(p.t, json.Unmarshal([]byte(more), &all))
	return jsonText(all)
}

// sh runs a command of docs/agents.md with a program of the modules.
func (p hostPlace) sh(command, program string, env ...string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Env, cmd.Dir, cmd.WaitDelay = p.env(env), p.folder, time.Second
	cmd.Env = append(cmd.Env, "PATH="+filepath.Join(p.modules, "node_modules", program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(p.t, err, string(out))
}

// env is the environment of the host: nothing of the test's but where programs are.
func (p hostPlace) env(more []string) []string {
	path := filepath.Dir(program(p.t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	return append([]string{"PATH=" + path, "HOME=" + p.home, "TMPDIR=" + p.t.TempDir()}, more...)
}

// hostConfig returns how docs/agents.md sets a host up in a folder.
func hostConfig(t *testing.T, name, folder string) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/agents.md")
	require.NoError(t, err)
	_, part, ok := strings.Cut(string(b), "\n### "+name+"\n")
	require.True(t, ok, name)
	_, block, _ := strings.Cut(part, "\n```")
	_, block, _ = strings.Cut(block, "\n")
	block, _, ok = strings.Cut(block, "\n```")
	require.True(t, ok, name)
	require.Contains(t, block, "/path/to/folder")
	return strings.ReplaceAll(block, "/path/to/folder", folder)
}

// command runs a program of the modules, scripts with the Node.js of the modules where it
// is there, with nothing but the named environment.
func (p hostPlace) command(env []string, program string, args ...string) *exec.Cmd {
	in := func(names ...string) string {
		return filepath.Join(append([]string{p.modules, "node_modules"}, names...)...)
	}
	if args = append([]string{in(program)}, args...); strings.HasSuffix(program, ".js") {
		node := in(nodeModule(), "bin", "node")
		if _, err := os.Stat(node); err != nil {
			node = "node"
		}
		args = append([]string{node}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Dir = p.env(env), p.folder
	return cmd
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// hostPlatform is this machine as modules of npm name it.
func hostPlatform() string {
	if runtime.GOARCH == "amd64" {
		return runtime.GOOS + "-x64"
	}
	return runtime.GOOS + "-" + runtime.GOARCH
}

// nodeModule has Node.js 22, which some hosts need.
func nodeModule() string { return "node-" + hostPlatform() }

const node22 = "22.23.3"

var hosts = []host{
	{name: "opencode", modules: []string{"opencode-" + hostPlatform() + "@1.18.33"}, prefix: "atelier_", task: workbookTask, refused: "tell the user to run", images: true,
		start: func(p hostPlace) *exec.Cmd {
			config := p.file("opencode.json", p.merged(fmt.Sprintf(`{"autoupdate":false,"share":"disabled","model":"local/scripted","small_model":"local/scripted",
				"provider":{"local":{"npm":"@ai-sdk/openai-compatible","name":"local","options":{"baseURL":"%s/v1","apiKey":"x"},"models":{"scripted":{"name":"scripted","attachment":true,"modalities":{"input":["text","image"],"output":["text"]}}}}}}`, p.endpoint)))
			return p.command([]string{"OPENCODE_CONFIG=" + config, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"},
				"opencode-"+hostPlatform()+"/bin/opencode", "run", hostPrompt)
		}},
	{name: "Codex", modules: []string{"@openai/codex@0.171.0"}, prefix: "mcp__atelier__", task: documentTask, refused: "requires approval", images: true,
		start: func(p hostPlace) *exec.Cmd {
			p.file(".codex/config.toml", fmt.Sprintf("model = \"scripted\"\nmodel_provider = \"local\"\napproval_policy = \"never\"\nsandbox_mode = \"workspace-write\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n"+
				"[model_providers.local]\nname = \"local\"\nbase_url = \"%s/v1\"\nwire_api = \"responses\"\nenv_key = \"LOCAL_KEY\"\n%s\n", p.endpoint, p.config))
			return p.command([]string{"LOCAL_KEY=x"}, "@openai/codex/bin/codex.js", "exec", "--skip-git-repo-check", hostPrompt)
		}},
	{name: "Claude Code", modules: []string{"@anthropic-ai/claude-code-" + hostPlatform() + "@2.1.332"}, prefix: "mcp__atelier__", task: workbookTask, refused: "closed without an answer", images: true,
		search: `{"name":"ToolSearch","arguments":{"query":"select:mcp__atelier__read_file,mcp__atelier__xlsx_operations,mcp__atelier__review,mcp__atelier__render,mcp__atelier__publish"}}`,
		start: func(p hostPlace) *exec.Cmd {
			env := []string{"ANTHROPIC_BASE_URL=" + p.endpoint, "ANTHROPIC_API_KEY=x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1"}
			module := "@anthropic-ai/claude-code-" + hostPlatform()
			p.sh(p.config, module, env...)
			return p.command(env, module+"/claude", "-p", hostPrompt, "--allowedTools", "mcp__atelier", "--model", "scripted")
		}},
	{name: "Gemini CLI", modules: []string{"@google/gemini-cli@0.61.0"}, prefix: "mcp_atelier_", task: documentTask, refused: "reported tool error", images: true,
		start: func(p hostPlace) *exec.Cmd {
			p.file(".gemini/settings.json", p.merged(`{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false}}`))
			return p.command([]string{"GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=" + p.endpoint, "GEMINI_CLI_TRUST_WORKSPACE=true"},
				"@google/gemini-cli/bundle/gemini.js", "-m", "gemini-2.5-flash", "--yolo", "-p", hostPrompt)
		}},
	{name: "Qwen Code", modules: []string{"@qwen-code/qwen-code@0.24.4", nodeModule() + "@" + node22}, prefix: "mcp__atelier__", task: deckTask, refused: "tell the user to run", images: true,
		start: func(p hostPlace) *exec.Cmd {
			p.file(".qwen/settings.json", p.merged(`{"security":{"auth":{"selectedType":"openai"}},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false}}`))
			return p.command([]string{"OPENAI_API_KEY=x", "OPENAI_BASE_URL=" + p.endpoint + "/v1", "OPENAI_MODEL=qwen3-vl-plus"},
				"@qwen-code/qwen-code/cli-entry.js", "--yolo", "-p", hostPrompt)
		}},
	{name: "GitHub Copilot CLI", modules: []string{"@github/copilot-" + hostPlatform() + "@1.0.102"}, prefix: "atelier-", task: workbookTask, refused: "did not agree",
		start: func(p hostPlace) *exec.Cmd {
			p.file(".copilot/mcp-config.json", p.config)
			return p.command([]string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + p.endpoint + "/v1", "COPILOT_PROVIDER_API_KEY=x", "COPILOT_MODEL=scripted"},
				"@github/copilot-"+hostPlatform()+"/copilot", "-p", hostPrompt, "--allow-all-tools", "--disable-builtin-mcps")
		}},
}

// sampledHosts is how many of the hosts a test run outside the full campaign installs:
// all together take more than 1 GB.
const sampledHosts = 3

const hostPrompt = "Change the document as we said"

// script is the model of a host: it reads, edits, looks at the review and at a picture,
// wants to publish, and says that it is done.
func (h host) script() string {
	call := func(name, args string) string {
		return fmt.Sprintf(`{"name":%q,"arguments":%s}`, h.prefix+name, args)
	}
	path := fmt.Sprintf(`{"path":%q}`, h.task.path)
	calls := []string{call("read_file", path), call(h.task.tool, fmt.Sprintf(`{"path":%q,"operations":[%s]}`, h.task.path, h.task.operation)), call("review", path), call("render", path), call("publish", "{}")}
	if h.search != "" {
		calls = append([]string{h.search}, calls...)
	}
	var sb strings.Builder
	for i, c := range calls {
		fmt.Fprintf(&sb, "-- model-%d --\n{\"call\":{\"id\":\"call-%d\",%s}\n", i+1, i+1, c[1:])
	}
	fmt.Fprintf(&sb, "-- model-%d --\n{\"text\":\"ALL IS DONE\"}\n-- model-* --\n{\"text\":\"A title\"}\n", len(calls)+1)
	return sb.String()
}

// hostModel answers by what the conversation has, since hosts ask for titles and the
// like beside it.
func hostModel(t *testing.T, h host) (srv *replay.Server, results func() []llm.Message) {
	t.Helper()
	f, err := replay.Parse([]byte(h.script()))
	require.NoError(t, err)
	var mu sync.Mutex
	var most []llm.Message
	srv, err = replay.NewServer(f, replay.Options{Answer: func(r replay.Request) int {
		if len(r.Tools) == 0 {
			return 0
		}
		var got []llm.Message
		for _, m := range r.Messages {
			if m.Role == llm.RoleTool {
				got = append(got, m)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if len(got) > len(most) {
			most = got
		}
		return len(got) + 1
	}})
	require.NoError(t, err)
	t.Cleanup(srv.Close)
	return srv, func() []llm.Message { mu.Lock(); defer mu.Unlock(); return most }
}

// The pieces of configuration of docs/agents.md have the form that they must have, and the
// commands in them are ours.
func TestAgentsDoc(t *testing.T) {
	b, err := os.ReadFile("../../docs/agents.md")
	require.NoError(t, err)
	parts := strings.Split(string(b), "\n```json\n")[1:]
	require.Greater(t, len(parts), 10)
	for _, part := range parts {
		block, _, ok := strings.Cut(part, "\n```")
		require.True(t, ok, part)
		var servers map[string]map[string]struct {
			Command any      `json:"command"`
			Args    []string `json:"args"`
		}
		require.NoError(t, json.Unmarshal([]byte(block), &servers), block)
		for _, s := range servers {
			args := s["atelier"].Args
			if list, ok := s["atelier"].Command.([]any); ok {
				for _, a := range list[1:] {
					args = append(args, a.(string))
				}
			}
			require.Equal(t, "mcp", args[0], block)
			flags := newMCP(&settings{})
			require.NoError(t, flags.ParseFlags(args[1:]), block)
			require.True(t, flags.Flags().Changed("in"), block)
			require.Empty(t, flags.Flags().Args(), block)
		}
	}
	for _, h := range hosts {
		hostConfig(t, h.name, "x") // it is there
		version := h.modules[0][strings.LastIndexByte(h.modules[0], '@')+1:]
		require.Contains(t, string(b), " "+h.name+" "+version+" |", "the table is of the versions that the test runs")
	}
}

// Programs that people use read a document, change it, look at the review and a page, and
// cannot publish while nobody is there; the person does.
func TestHosts(t *testing.T) {
	campaign.Slow(t)
	need.Program(t, "node", "nodejs")
	for i, h := range hosts {
		if i >= sampledHosts && !campaign.Full() {
			t.Logf("%s: in the full campaign", h.name)
			continue
		}
		t.Run(strings.ReplaceAll(h.name, " ", ""), func(t *testing.T) {
			t.Parallel() // one is installed while another works
			h.work(t)
		})
	}
}

func (h host) work(t *testing.T) {
	srv, results := hostModel(t, h)
	p := hostPlace{t: t, modules: need.Modules(t, h.modules...), home: t.TempDir(), folder: filepath.Join(t.TempDir(), "documents"), endpoint: strings.TrimSuffix(srv.URL, "/v1")}
	require.NoError(t, os.CopyFS(p.folder, os.DirFS("../../testdata/documents")))
	p.config = hostConfig(t, h.name, p.folder)
	before, err := os.ReadFile(filepath.Join(p.folder, h.task.path))
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := h.start(p)
	bounded := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
	bounded.Env, bounded.Dir, bounded.WaitDelay = cmd.Env, cmd.Dir, 5*time.Second
	began := time.Now()
	out, err := bounded.CombinedOutput()
	require.NoError(t, err, string(out))
	t.Logf("%s took %s", h.name, time.Since(began).Round(100*time.Millisecond))
	require.Contains(t, string(out), "ALL IS DONE")

	got := results()
	if h.search != "" {
		got = got[1:]
	}
	require.Len(t, got, 5)
	for i, want := range []string{h.task.read, "Successfully updated " + h.task.path, h.task.changed, "", h.refused} {
		require.Contains(t, got[i].Content, want, "call %d", i)
	}
	last := srv.Requests()[len(srv.Requests())-1]
	require.Equal(t, h.images, strings.Contains(string(last.Body), "iVBORw0KGgo"), "the model sees the page")
	after, err := os.ReadFile(filepath.Join(p.folder, h.task.path))
	require.NoError(t, err)
	require.Equal(t, before, after, "nobody published")

	person := func(args ...string) string {
		cmd := exec.Command(program(t), append(args, "--in", p.folder)...)
		cmd.Env = p.env(nil)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	require.Contains(t, person("review", h.task.path), h.task.changed)
	require.Contains(t, person("undo", "--list"), "guest")
	person("publish")
	after, err = os.ReadFile(filepath.Join(p.folder, h.task.path))
	require.NoError(t, err)
	require.NotEqual(t, before, after)
}
