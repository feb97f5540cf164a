package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"atelier/engine"
	"atelier/internal/budget"
	"atelier/internal/lenient"
	"atelier/llm"
	"atelier/llm/api"
	"atelier/llm/models"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/approvals"
	"golang.org/x/text/language"
)

// settings are the settings of all commands. Each comes from its flag, else
// the environment, else config.json in the data folder, else a default
// (D-02).
type settings struct {
	home, model, baseURL, logLevel string
	api                            string // that the default endpoint speaks; "" is the default of its address
	defaultLog                     string // log level of this command if none is set; "" is warn
	apiKey, configKey              string // from the environment and config.json; never a flag, because command lines are visible to others
	providers                      []engine.Provider
	models                         []models.Rule
	approvals                      approvals.Policy
	budget                         engine.Budget
	answerLimits                   llm.AnswerLimits
	http                           httpClaims
	maxTurns, maxCalls             int
	toolTimeout                    time.Duration
	memoryLimit                    string // as "512MiB"
	compactAt                      int    // percent
	allowEgress                    bool
	passwordFile                   string // with passwords of encrypted files, one a line
	askPassword                    bool
	egress                         string // engine.EgressAsk …
	language                       string // BCP 47, "" when it is not known
	releases                       string // address that tells the newest release; "" is that of the build
	env                            environment
	recording                      *recorder // of the one run of this command; nil: none
}

// configFile is config.json.
type configFile struct {
	Model       string `json:"model"`
	BaseURL     string `json:"base_url"`
	API         string `json:"api"` // chat, anthropic or responses
	APIKey      string `json:"api_key"`
	Log         string `json:"log"`
	MaxTurns    int    `json:"max_turns"`
	MaxCalls    int    `json:"max_calls_per_turn"`
	ToolTimeout string `json:"tool_timeout"` // as "30s"
	MemoryLimit string `json:"memory_limit"` // as "512MiB"
	CompactAt   *share `json:"compact_at"`   // of a model's window
	Language    string `json:"language"`     // of the person's office programs, as "en-US"

	Releases string `json:"releases"` // address that tells the newest release

	Approvals approvals.Policy `json:"approvals"` // which calls of a model need approval

	Budget engine.Budget `json:"budget"` // of runs that set none

	AnswerLimits llm.AnswerLimits `json:"answer_limits"` // of one answer of a model

	HTTP httpClaims `json:"http"` // of atelier http

	Egress    string                    `json:"egress"`    // ask, allow_all or local_only
	Providers map[string]configProvider `json:"providers"` // additional endpoints, by name
	Models    []models.Rule             `json:"models"`    // what the user knows about models
}

// configProvider is an additional endpoint.
type configProvider struct {
	DisplayName string            `json:"display_name"`
	BaseURL     string            `json:"base_url"`
	API         string            `json:"api"` // chat, anthropic or responses; default by the address
	APIKey      string            `json:"api_key"`
	APIKeyEnv   string            `json:"api_key_env"` // default ATELIER_<NAME>_API_KEY
	Models      []string          `json:"models"`
	Headers     map[string]string `json:"headers"` // sent with every request
}

// read refuses unknown members: a misspelled rule or limit would have no
// effect.
func (c *configFile) read(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	switch err := dec.Decode(c); {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty, {} would be no settings")
	case err != nil:
		return errors.New(lenient.Problem(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the JSON object")
	}
	return nil
}

func (c configFile) providers(env *environment) []engine.Provider {
	var list []engine.Provider
	for _, id := range slices.Sorted(maps.Keys(c.Providers)) {
		p := c.Providers[id]
		variable := first(p.APIKeyEnv, "ATELIER_"+strings.ToUpper(strings.ReplaceAll(id, "-", "_"))+"_API_KEY")
		list = append(list, engine.Provider{ID: id, DisplayName: p.DisplayName, BaseURL: p.BaseURL, API: p.API, APIKey: env.get(variable), ConfigKey: p.APIKey, Models: p.Models, Headers: p.Headers})
	}
	return list
}

func (s *settings) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.home, "home", "", "data folder (ATELIER_HOME)")
	f.StringVar(&s.model, "model", "", `model to use, "pseudo" for the built-in offline one (ATELIER_MODEL)`)
	f.StringVar(&s.baseURL, "base-url", "", "address of the model endpoint (OPENAI_BASE_URL)")
	f.StringVar(&s.api, "api", "", "API that the endpoint speaks: chat, anthropic, responses; default chat, at api.anthropic.com anthropic (ATELIER_API)")
	f.BoolVar(&s.allowEgress, "allow-egress", false, "allow sending documents to models on other machines, without asking (ATELIER_EGRESS=allow_all)")
	f.StringVar(&s.passwordFile, "password-file", "", "file with the passwords of encrypted documents, one on each line")
	f.BoolVar(&s.askPassword, "ask-password", false, "ask for the password of encrypted documents first, on the terminal")
	f.StringVar(&s.logLevel, "log", "", "log level on stderr: debug, info, warn, error (ATELIER_LOG)")
	f.IntVar(&s.maxTurns, "max-turns", 0, "model requests in one run, default 50 (ATELIER_MAX_TURNS)")
	f.IntVar(&s.maxCalls, "max-calls", 0, "tool calls in one turn, default 50 (ATELIER_MAX_CALLS)")
	f.DurationVar(&s.toolTimeout, "tool-timeout", 0, "time for one tool call, default 30s (ATELIER_TOOL_TIMEOUT)")
	f.StringVar(&s.memoryLimit, "memory-limit", "", "memory for this process, such as 512MiB, default half of the machine's (ATELIER_MEMORY_LIMIT)")
}

// resolve sets what the flags left open.
func (s *settings) resolve() error {
	s.home = first(s.home, s.env.get("ATELIER_HOME"))
	if s.home == "" {
		dir, err := workshop.DefaultHome()
		if err != nil {
			return fmt.Errorf("no data folder: %w; name one with --home or ATELIER_HOME", err)
		}
		s.home = dir
	}
	var c configFile
	path := filepath.Join(s.home, "config.json")
	b, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := c.read(b); err != nil {
			return fmt.Errorf("%s is not valid: %w", path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	s.model = first(s.model, s.env.get("ATELIER_MODEL"), c.Model)
	s.baseURL = first(s.baseURL, s.env.get("OPENAI_BASE_URL"), c.BaseURL)
	if s.api, err = apiSetting(s.api, s.env.get("ATELIER_API"), c.API); err != nil {
		return err
	}
	s.configKey = c.APIKey
	for _, name := range api.KeyVariables(s.api, s.baseURL) {
		s.apiKey = first(s.apiKey, s.env.get(name))
	}
	s.providers, s.models, s.budget = c.providers(&s.env), c.Models, c.Budget
	if s.egress, err = egressSetting(s.allowEgress, s.env.get("ATELIER_EGRESS"), c.Egress); err != nil {
		return err
	}
	if v := s.env.get(engine.EnvKeychain); v != "" && v != "off" {
		return fmt.Errorf("%s can only be off, which keeps keys in the file keys.age of the data folder, not %q", engine.EnvKeychain, v)
	}
	s.approvals, s.answerLimits = c.Approvals, c.AnswerLimits
	s.http = c.HTTP
	if s.language, err = languageSetting(s.env.get("ATELIER_LANGUAGE"), c.Language); err != nil {
		return err
	}
	s.releases = first(s.env.get("ATELIER_RELEASES"), c.Releases)
	if c.CompactAt != nil {
		s.compactAt = c.CompactAt.percent()
	}
	s.logLevel = first(s.logLevel, s.env.get("ATELIER_LOG"), c.Log, s.defaultLog, "warn")
	if s.maxTurns, err = s.intSetting(s.maxTurns, "ATELIER_MAX_TURNS", c.MaxTurns); err != nil {
		return err
	}
	if s.maxCalls, err = s.intSetting(s.maxCalls, "ATELIER_MAX_CALLS", c.MaxCalls); err != nil {
		return err
	}
	if text := first(s.env.get("ATELIER_TOOL_TIMEOUT"), c.ToolTimeout); s.toolTimeout == 0 && text != "" {
		if s.toolTimeout, err = time.ParseDuration(text); err != nil {
			return fmt.Errorf("the tool timeout %q is no duration such as 30s", text)
		}
	}
	s.memoryLimit = first(s.memoryLimit, s.env.get("ATELIER_MEMORY_LIMIT"), c.MemoryLimit)
	return limitMemory(s.memoryLimit)
}

// limitMemory limits the memory of the process; "" is the default.
func limitMemory(text string) error {
	if text == "" {
		budget.LimitProcess(0)
		return nil
	}
	n, err := budget.ParseSize(text)
	if err == nil && n < budget.Least {
		err = fmt.Errorf("%s is too little: the least is %d MiB", text, budget.Least>>20)
	}
	if err != nil {
		return usageError{fmt.Errorf("--memory-limit (ATELIER_MEMORY_LIMIT, memory_limit in config.json): %w", err)}
	}
	budget.LimitProcess(n)
	return nil
}

// languageSetting returns the language of the person's office programs in the form of
// BCP 47.
func languageSetting(env, file string) (string, error) {
	text := first(env, file)
	if text == "" {
		return "", nil
	}
	tag, err := language.Parse(text)
	if err != nil {
		return "", fmt.Errorf("the language %q (ATELIER_LANGUAGE, or language of config.json) is none such as en-US", text)
	}
	return tag.String(), nil
}

// apiSetting returns the API of the default endpoint. A wrong value is an error,
// also where another goes before it.
func apiSetting(flag, env, file string) (string, error) {
	for _, v := range []struct{ where, value string }{{"--api", flag}, {"ATELIER_API", env}, {"api of config.json", file}} {
		if err := api.Check(v.value); err != nil {
			return "", usageError{fmt.Errorf("%s: %w", v.where, err)}
		}
	}
	return first(flag, env, file), nil
}

// share is a part of a whole, from 0 to 1.
type share float64

// percent returns -1 for an invalid share, which the engine refuses.
func (s share) percent() int {
	if s <= 0 || s > 1 {
		return -1
	}
	return int(math.Round(float64(s) * 100))
}

func (s *settings) intSetting(flag int, env string, file int) (int, error) {
	text := s.env.get(env)
	if flag != 0 || text == "" {
		return first(flag, file), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s must be a whole number above 0, not %q", env, text)
	}
	return n, nil
}

// first returns the first value that is not zero.
func first[T comparable](vs ...T) T {
	var zero T
	for _, v := range vs {
		if v != zero {
			return v
		}
	}
	return zero
}

// logger writes to stderr; standard output is the command's result.
func (s *settings) logger() (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil {
		return nil, usageError{fmt.Errorf("unknown log level %q: use debug, info, warn or error", s.logLevel)}
	}
	return slog.New(slog.NewTextHandler(safeTo(os.Stderr), &slog.HandlerOptions{Level: level})), nil
}

// engine starts the engine with these settings.
func (s *settings) engine(change ...func(*engine.Options)) (*engine.Engine, error) {
	if err := s.resolve(); err != nil {
		return nil, err
	}
	opt, err := s.options()
	if err != nil {
		return nil, err
	}
	if opt.Passwords, err = s.passwords(); err != nil {
		return nil, err
	}
	opt.Dial = func(ctx context.Context, who workshop.Holder, workbench string, notify func(string, json.RawMessage)) (engine.HolderConn, error) {
		return s.dial(ctx, &opt, who, workbench, notify)
	}
	for _, f := range change {
		f(&opt)
	}
	return engine.New(opt)
}

// prepareWhenIdle has a command that answers a person or a program get ready for what they
// may ask next, when nothing was asked for a while. Commands that know what they have to do
// do not.
func prepareWhenIdle(o *engine.Options) { o.PrepareAfter = 3 * time.Second }

// options returns these settings, once resolved, for an engine; without passwords.
func (s *settings) options() (engine.Options, error) {
	log, err := s.logger()
	return engine.Options{
		Language: s.language,
		Home:     s.home, BaseURL: s.baseURL, API: s.api, APIKey: s.apiKey, ConfigKey: s.configKey, Model: s.model,
		Egress: s.egress, Providers: s.providers, Models: s.models, Budget: s.budget, AnswerLimits: s.answerLimits, Log: log, CompactAt: s.compactAt, Approvals: s.approvals,
		Told:   func(what string) { fmt.Fprintln(safeTo(os.Stderr), "atelier: note:", what) },
		Limits: agent.Limits{CallsPerTurn: s.maxCalls, Turns: s.maxTurns, ToolTimeout: s.toolTimeout},
	}, err
}

// explain formats an error for a person at a terminal: the detail and what to
// do, for each of several joined errors.
func explain(err error) string {
	if several, ok := err.(interface{ Unwrap() []error }); ok && err.Error() == errors.Join(several.Unwrap()...).Error() {
		var lines []string
		for _, one := range several.Unwrap() {
			lines = append(lines, explain(one))
		}
		return strings.Join(lines, "\natelier: ")
	}
	var info *engine.ErrorInfo
	if errors.As(err, &info) && info.Hint != "" {
		return info.Error() + "\n  " + info.Hint
	}
	var run *runerr.Error
	if errors.As(err, &run) && run.Hint != "" {
		return run.Error() + "\n  " + run.Hint
	}
	var fault *workshop.Fault
	if errors.As(err, &fault) && fault.Hint != "" {
		return fault.Error() + "\n  " + fault.Hint
	}
	return err.Error() + ownerHint(err)
}
