package models

import "slices"

// Builtin returns what is known here of models: windows, longest answers, values of
// reasoning_effort, who refuses a temperature. The figures were looked up in
// November 2026 in two public tables of models that are kept by hand (models.dev
// as of July 2026, charmbracelet/catwalk as of August 2026) and, for refusals, in
// what users report of the endpoints. Where the tables differ the smaller window
// stands: too small compacts early, too large ends in a refusal. What neither
// has is from memory and marked so. A rule of the user goes before all of it, and
// a model that is not here works too; its window is then unknown.
func Builtin() Table { return Table{slices.Concat(endpoints, hosted, openWeights)} }

func yes() *bool { b := true; return &b }

func model(pattern string, window, output int) Rule {
	return Rule{Model: pattern, Settings: Settings{Window: window, MaxOutput: output}}
}

// The following add to a rule.

// thinks is for models that take one of list as reasoning_effort.
func (r Rule) thinks(list Efforts) Rule { r.Efforts = list; return r }

// cold is for models that refuse a temperature other than their own.
func (r Rule) cold() Rule { r.Heat = Omitted; return r }

// newLimit is for models that refuse max_tokens.
func (r Rule) newLimit() Rule { r.LimitParam = limitNew; return r }

// echo is for models whose endpoints refuse a conversation in which the
// reasoning before a tool call is missing.
func (r Rule) echo() Rule { r.Repairs = RepairEcho; return r }

// inText is for models that local servers let write calls into their text when
// no parser was switched on for them.
func (r Rule) inText() Rule { r.InText = yes(); return r }

// sees is for models that take images.
func (r Rule) sees() Rule { r.Images = yes(); return r }

// blind is for models that take none although their family does.
func (r Rule) blind() Rule { r.Images = new(bool); return r }

// nine is for models that take no other form of tool-call ids (Mistral's error
// 3280).
func (r Rule) nine() Rule { r.CallIDs = CallIDsNine; return r }

// endpoints are rules for all models of an endpoint.
var endpoints = []Rule{
	// What OpenAI and Anthropic take as ids of calls (their API references)
	{Endpoint: "api.openai.com", Settings: Settings{CallIDs: CallIDsAny}},
	{Endpoint: "*.azure.com", Settings: Settings{CallIDs: CallIDsAny}},
	{Model: "*claude*", Settings: Settings{CallIDs: CallIDsAny}},
	{Endpoint: "api.mistral.ai", Settings: Settings{CallIDs: CallIDsNine}},
}

const (
	efforts3    Efforts = "low medium high"
	efforts4    Efforts = "minimal low medium high"
	effortsNone Efforts = "none low medium high"
	effortsX    Efforts = "none low medium high xhigh"
	effortsMax  Efforts = "low medium high xhigh max"
)

// hosted goes from the general to the particular, as openWeights does. A dot in
// a version is a dash at some endpoints, hence the ?.
var hosted = []Rule{
	// OpenAI
	model("gpt-4*", 128_000, 4_096),
	model("gpt-4", 8_192, 8_192),
	model("gpt-4-0*", 8_192, 8_192),
	model("gpt-3.5*", 16_385, 4_096),
	model("gpt-4o*", 128_000, 16_384).sees(),
	model("gpt-4-turbo*", 0, 0).sees(),
	model("gpt-4.1*", 1_047_576, 32_768).sees(),
	model("gpt-[5-9]*", 400_000, 128_000).cold().newLimit().thinks(efforts4).sees(),
	model("gpt-5.[1-9]*", 400_000, 128_000).thinks(effortsNone),
	model("gpt-5.[2-9]*", 400_000, 128_000).thinks(effortsX),
	model("gpt-5.[45]", 1_050_000, 128_000),
	model("gpt-5.[45]-2*", 1_050_000, 128_000),
	model("gpt-5.6*", 1_050_000, 128_000).thinks("none low medium high xhigh max"),
	model("gpt-5*-codex*", 0, 0).thinks(efforts3),
	model("gpt-5.[1-9]-codex-max*", 0, 0).thinks("low medium high xhigh"),
	model("gpt-5.[2-9]-codex*", 0, 0).thinks("low medium high xhigh"),
	model("gpt-5-pro*", 0, 0).thinks("high"),
	model("gpt-5.[2-9]-pro*", 0, 0).thinks("medium high xhigh"),
	model("gpt-5.[45]-pro*", 1_050_000, 0),
	model("gpt-5*-chat*", 128_000, 16_384).thinks("medium"),
	model("o[1-9]*", 200_000, 100_000).cold().newLimit().thinks(efforts3).sees(),
	model("o[13]-mini*", 0, 0).blind(),
	model("o1-preview*", 0, 0).blind(),
	// Anthropic, through its compatible endpoint, a router or Bedrock
	model("*claude*", 200_000, 64_000).sees(),
	model("*claude-2*", 0, 0).blind(),
	model("*claude-instant*", 0, 0).blind(),
	model("*claude-3*", 200_000, 8_192),
	model("*claude-3-opus*", 0, 4_096),
	model("*claude-3-haiku*", 0, 4_096),
	model("*claude-3?7*", 0, 64_000),
	model("*claude-opus-4*", 200_000, 32_000),
	model("*claude-opus-4?5*", 0, 64_000).thinks(efforts3),
	model("*claude-*-4?6*", 200_000, 64_000).thinks("low medium high max"),
	model("*claude-opus-4?6*", 0, 128_000),
	model("*claude-opus-4?[78]*", 1_000_000, 128_000).cold().thinks(effortsMax),
	model("*claude-opus-5*", 1_000_000, 128_000).cold().thinks(effortsMax),
	model("*claude-sonnet-5*", 1_000_000, 128_000).cold().thinks(effortsMax),
	model("*claude-fable-5*", 1_000_000, 128_000).cold().thinks(effortsMax),
	model("*claude-mythos-5*", 1_000_000, 128_000).cold().thinks(effortsMax),
	// Google
	model("gemini*", 1_048_576, 65_536).sees(),
	model("gemini-1.5*", 1_048_576, 8_192), // from memory
	model("gemini-2.0*", 1_048_576, 8_192),
	model("gemini-3*", 1_048_576, 64_000).thinks(efforts4),
	model("gemini-3-pro*", 0, 0).thinks("low high"),
	model("gemini-3.1-pro*", 0, 0).thinks(efforts3),
	// xAI
	model("grok*", 131_072, 0), // from memory
	model("grok-4*", 200_000, 0).sees(),
	model("grok-2-vision*", 32_768, 0).sees(),
	model("grok-code*", 0, 0).blind(),
	model("grok-4.3*", 0, 0).thinks(effortsNone),
	model("grok-4.5*", 500_000, 0).thinks(efforts3),
	// Amazon, Cohere
	model("*nova-pro*", 300_000, 0).sees(),
	model("*nova-lite*", 300_000, 0).sees(),
	model("*nova-micro*", 128_000, 0),
	model("*nova-premier*", 1_000_000, 0).sees(),
	model("*nova-2-lite*", 1_000_000, 0).sees(),
	model("command-a*", 256_000, 8_000),
	model("command-a-vision*", 128_000, 8_000).sees(),
}
