package models

// Builtin is what is known here of models. The windows and limits were written
// down from memory, not looked up on the makers' pages: a rule of the user goes
// before them, and what an endpoint refuses is found out by asking. A model that
// is not here works too; its window is then unknown.
func Builtin() Table { return Table{builtin} }

func yes() *bool { b := true; return &b }

// reasoning models refuse a temperature and take their limit under the new name.
var reasoning = Settings{Heat: Omitted, LimitParam: limitNew}

func reasoningModel(pattern string, window, output int) Rule {
	s := reasoning
	s.Window, s.MaxOutput = window, output
	return Rule{Model: pattern, Settings: s}
}

func model(pattern string, window, output int) Rule {
	return Rule{Model: pattern, Settings: Settings{Window: window, MaxOutput: output}}
}

// inText are models that local servers let write calls into their text when no
// parser was switched on for them.
func inText(pattern string, window, output int) Rule {
	return Rule{Model: pattern, Settings: Settings{Window: window, MaxOutput: output, InText: yes()}}
}

func nine(r Rule) Rule {
	r.CallIDs = CallIDsNine
	return r
}

// builtin goes from the general to the particular.
var builtin = []Rule{
	// What OpenAI and Anthropic take as ids of calls (their API references)
	{Endpoint: "api.openai.com", Settings: Settings{CallIDs: CallIDsAny}},
	{Endpoint: "*.azure.com", Settings: Settings{CallIDs: CallIDsAny}},
	{Model: "claude*", Settings: Settings{CallIDs: CallIDsAny}},
	// OpenAI
	model("gpt-4*", 128_000, 4_096),
	model("gpt-4o*", 128_000, 16_384),
	model("gpt-4.1*", 1_047_576, 32_768),
	reasoningModel("gpt-[5-9]*", 400_000, 128_000),
	reasoningModel("gpt-[5-9]*-chat*", 128_000, 16_384),
	reasoningModel("o[1-9]*", 200_000, 100_000),
	inText("gpt-oss*", 131_072, 131_072),
	// Anthropic, through its OpenAI-compatible endpoint or OpenRouter
	model("claude*", 200_000, 64_000),
	model("claude-3-*", 200_000, 8_192),
	model("claude-opus-4*", 200_000, 32_000),
	// Google
	model("gemini*", 1_048_576, 65_536),
	model("gemini-1.5*", 1_048_576, 8_192),
	model("gemini-2.0*", 1_048_576, 8_192),
	inText("gemma*", 8_192, 0),
	inText("gemma*3*", 131_072, 8_192),
	// Mistral: an id of another form is refused (error 3280)
	nine(model("mistral*", 131_072, 0)),
	nine(model("ministral*", 131_072, 0)),
	nine(model("codestral*", 256_000, 0)),
	nine(model("devstral*", 131_072, 0)),
	nine(model("magistral*", 131_072, 0)),
	nine(model("mixtral*", 32_768, 0)),
	{Endpoint: "api.mistral.ai", Settings: Settings{CallIDs: CallIDsNine}},
	// DeepSeek, Moonshot, Z.ai, xAI
	model("deepseek*", 131_072, 8_192),
	model("deepseek-reasoner*", 131_072, 65_536),
	model("kimi*", 262_144, 0),
	model("glm-4*", 131_072, 98_304),
	model("grok*", 131_072, 0),
	model("grok-4*", 256_000, 0),
	// Open weights, most of them at local servers
	inText("qwen*", 32_768, 8_192),
	inText("qwen3*", 40_960, 32_768),
	inText("qwen3-coder*", 262_144, 65_536),
	inText("llama*", 131_072, 0),
	inText("llama3:*", 8_192, 0),
	inText("llama-3-*", 8_192, 0),
	inText("hermes*", 131_072, 0),
	inText("phi*", 131_072, 0),
	inText("granite*", 131_072, 0),
	inText("command-r*", 131_072, 4_096),
}
