package models_test

import (
	"atelier/internal/campaign"

	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm/models"
)

// example is a name as an endpoint has it, and what the table says of it.
type example struct {
	model, host    string
	window, output int
	more           string // h: no temperature, e: reasoning goes back, t: calls in the text, 9: short ids, n: new limit
	efforts        models.Efforts
}

var known = []example{
	{"gpt-4o-mini", "", 128_000, 16_384, "", ""},
	{"gpt-4-turbo", "", 128_000, 4_096, "", ""},
	{"gpt-4", "", 8_192, 8_192, "", ""},
	{"gpt-4-0613", "", 8_192, 8_192, "", ""},
	{"gpt-3.5-turbo", "", 16_385, 4_096, "", ""},
	{"gpt-4.1-nano", "", 1_047_576, 32_768, "", ""},
	{"gpt-5", "", 400_000, 128_000, "hn", "minimal low medium high"},
	{"gpt-5-codex", "", 400_000, 128_000, "hn", "low medium high"},
	{"gpt-5-pro", "", 400_000, 128_000, "hn", "high"},
	{"gpt-5-chat-latest", "", 128_000, 16_384, "hn", "medium"},
	{"gpt-5.1", "", 400_000, 128_000, "hn", "none low medium high"},
	{"gpt-5.1-codex-max", "", 400_000, 128_000, "hn", "low medium high xhigh"},
	{"gpt-5.2-pro", "", 400_000, 128_000, "hn", "medium high xhigh"},
	{"gpt-5.3-codex", "", 400_000, 128_000, "hn", "low medium high xhigh"},
	{"gpt-5.4", "", 1_050_000, 128_000, "hn", "none low medium high xhigh"},
	{"gpt-5.4-2026-03-05", "", 1_050_000, 128_000, "hn", "none low medium high xhigh"},
	{"gpt-5.4-mini", "", 400_000, 128_000, "hn", "none low medium high xhigh"},
	{"gpt-5.5-pro", "", 1_050_000, 128_000, "hn", "medium high xhigh"},
	{"gpt-5.6-sol", "", 1_050_000, 128_000, "hn", "none low medium high xhigh max"},
	{"o3-mini", "", 200_000, 100_000, "hn", "low medium high"},
	{"olmo-3", "", 0, 0, "", ""},
	{"gpt-oss:20b", "localhost", 131_072, 65_536, "t", "low medium high"},
	{"claude-opus-4-20250514", "", 200_000, 32_000, "", ""},
	{"claude-opus-4-1-20250805", "", 200_000, 32_000, "", ""},
	{"claude-opus-4-5-20251101", "", 200_000, 64_000, "", "low medium high"},
	{"claude-sonnet-4-5-20250929", "", 200_000, 64_000, "", ""},
	{"anthropic/claude-opus-4.6", "", 200_000, 128_000, "", "low medium high max"},
	{"claude-sonnet-4-6", "", 200_000, 64_000, "", "low medium high max"},
	{"us.anthropic.claude-opus-4-7-v1:0", "", 1_000_000, 128_000, "h", "low medium high xhigh max"},
	{"anthropic/claude-opus-4.8", "", 1_000_000, 128_000, "h", "low medium high xhigh max"},
	{"claude-haiku-4-5", "", 200_000, 64_000, "", ""},
	{"claude-sonnet-5", "", 1_000_000, 128_000, "h", "low medium high xhigh max"},
	{"claude-opus-5-20260801", "", 1_000_000, 128_000, "h", "low medium high xhigh max"},
	{"claude-fable-5", "", 1_000_000, 128_000, "h", "low medium high xhigh max"},
	{"claude-mythos-5", "", 1_000_000, 128_000, "h", "low medium high xhigh max"},
	{"claude-3-5-sonnet-20241022", "", 200_000, 8_192, "", ""},
	{"claude-3-7-sonnet-20250219", "", 200_000, 64_000, "", ""},
	{"claude-3-opus-20240229", "", 200_000, 4_096, "", ""},
	{"claude-3-haiku-20240307", "", 200_000, 4_096, "", ""},
	{"gemini-2.5-pro", "", 1_048_576, 65_536, "", ""},
	{"gemini-2.0-flash", "", 1_048_576, 8_192, "", ""},
	{"gemini-1.5-pro", "", 1_048_576, 8_192, "", ""},
	{"models/gemini-3-flash-preview", "", 1_048_576, 64_000, "", "minimal low medium high"},
	{"gemini-3-pro-preview", "", 1_048_576, 64_000, "", "low high"},
	{"gemini-3.1-pro-preview", "", 1_048_576, 64_000, "", "low medium high"},
	{"grok-3", "", 131_072, 0, "", ""},
	{"x-ai/grok-4.20", "", 200_000, 0, "", ""},
	{"grok-4.3", "", 200_000, 0, "", "none low medium high"},
	{"grok-4.5", "", 500_000, 0, "", "low medium high"},
	{"amazon.nova-pro-v1:0", "", 300_000, 0, "", ""},
	{"amazon.nova-lite-v1:0", "", 300_000, 0, "", ""},
	{"amazon.nova-micro-v1:0", "", 128_000, 0, "", ""},
	{"amazon.nova-premier-v1:0", "", 1_000_000, 0, "", ""},
	{"amazon.nova-2-lite-v1:0", "", 1_000_000, 0, "", ""},
	{"command-a-03-2025", "", 256_000, 8_000, "", ""},
	{"command-r-08-2024", "", 128_000, 4_000, "t", ""},
	{"open-mistral-nemo", "", 128_000, 0, "9", ""},
	{"mistral-large-2411", "", 131_072, 0, "9", ""},
	{"mistral-large-2512", "", 262_144, 0, "9", ""},
	{"mistral-large-latest", "", 262_144, 0, "9", ""},
	{"mistral-medium-latest", "", 131_072, 0, "9", ""},
	{"mistral-medium-2604", "", 262_144, 0, "9", "none high"},
	{"mistralai/mistral-medium-3-5", "", 262_144, 0, "9", "none high"},
	{"mistral-small-2603", "", 256_000, 0, "9", "none high"},
	{"open-mistral-7b", "", 8_000, 0, "9", ""},
	{"Mistral-7B-Instruct-v0.3.Q4_K_M.gguf", "", 32_768, 0, "9", ""},
	{"mistral:latest", "", 32_768, 0, "9", ""},
	{"ministral-8b-latest", "", 128_000, 0, "9", ""},
	{"codestral-latest", "", 256_000, 0, "9", ""},
	{"devstral-small-2507", "", 128_000, 0, "9", ""},
	{"devstral-2512", "", 256_000, 0, "9", ""},
	{"magistral-medium-latest", "", 128_000, 16_384, "9", ""},
	{"pixtral-12b", "", 128_000, 0, "9", ""},
	{"something-new", "api.mistral.ai", 0, 0, "9", ""},
	{"open-mixtral-8x7b", "", 32_000, 0, "9", ""},
	{"open-mixtral-8x22b", "", 64_000, 0, "9", ""},
	{"deepseek-chat", "", 128_000, 8_000, "", ""},
	{"deepseek/deepseek-v3.2", "", 128_000, 8_000, "", ""},
	{"deepseek-v4-flash", "", 1_000_000, 384_000, "e", "high max"},
	{"deepseek-reasoner", "", 128_000, 64_000, "e", ""},
	{"deepseek-r1:14b", "", 64_000, 8_000, "t", ""},
	{"kimi-latest", "", 131_072, 0, "", ""},
	{"kimi-k2-0711-preview", "", 131_072, 16_384, "", ""},
	{"moonshotai/kimi-k2-0905", "", 262_144, 16_384, "", ""},
	{"kimi-k2-thinking", "", 262_144, 16_384, "e", ""},
	{"kimi-k2.6", "", 262_144, 32_768, "he", ""},
	{"kimi-for-coding", "", 262_144, 32_768, "he", ""},
	{"kimi-k3", "", 1_048_576, 131_072, "he", ""},
	{"k3-256k", "", 262_144, 32_768, "he", ""},
	{"k3", "", 1_048_576, 131_072, "he", ""},
	{"moonshot-v1-8k", "", 8_192, 4_096, "", ""},
	{"moonshot-v1-32k", "", 32_768, 8_192, "", ""},
	{"moonshot-v1-128k", "", 131_072, 16_384, "", ""},
	{"glm-4-flash", "", 131_072, 0, "", ""},
	{"glm-4.5-air", "", 131_072, 49_152, "", ""},
	{"glm-4.5v", "", 64_000, 8_192, "", ""},
	{"glm-4.6", "", 200_000, 98_000, "", ""},
	{"glm-4.6v", "", 128_000, 32_768, "", ""},
	{"zai-org/GLM-4.7", "", 200_000, 65_550, "", ""},
	{"glm-5.1", "", 200_000, 65_536, "", ""},
	{"glm-5.2", "", 1_000_000, 131_072, "", ""},
	{"MiniMax-M2.5", "", 196_608, 128_000, "", ""},
	{"MiniMax-M3", "", 1_000_000, 128_000, "", ""},
	{"qwen2.5:7b", "", 32_768, 8_192, "t", ""},
	{"qwq-plus", "", 131_072, 8_192, "t", ""},
	{"qwen-plus", "", 1_000_000, 16_384, "t", ""},
	{"qwen-flash", "", 1_000_000, 32_768, "t", ""},
	{"qwen-turbo", "", 1_000_000, 16_384, "t", ""},
	{"Qwen3-8B-Q4_K_M.gguf", "", 40_960, 8_192, "t", ""},
	{"Qwen/Qwen3-30B-A3B-Instruct-2507", "", 131_072, 8_192, "t", ""},
	{"qwen3-max", "", 262_144, 32_768, "t", ""},
	{"qwen3-next:80b", "", 131_072, 16_384, "t", ""},
	{"qwen3-vl-8b-instruct", "", 131_072, 16_384, "t", ""},
	{"qwen3-coder:480b", "", 262_144, 32_768, "t", ""},
	{"qwen3-coder-plus", "", 1_000_000, 32_768, "t", ""},
	{"qwen3-coder-flash", "", 1_000_000, 32_768, "t", ""},
	{"qwen3.5:27b", "", 256_000, 32_768, "t", ""},
	{"qwen3.5-plus", "", 1_000_000, 32_768, "t", ""},
	{"qwen3.6-flash", "", 1_000_000, 32_768, "t", ""},
	{"qwen3.7-max", "", 1_000_000, 64_000, "t", ""},
	{"qwen3.8-27b", "", 1_000_000, 64_000, "t", ""},
	{"llama3.1:8b", "", 131_072, 0, "t", ""},
	{"meta-llama/Llama-3.3-70B-Instruct", "", 131_072, 0, "t", ""},
	{"llama2:13b", "", 4_096, 0, "t", ""},
	{"Llama-2-7b-chat", "", 4_096, 0, "t", ""},
	{"llama3:latest", "", 8_192, 0, "t", ""},
	{"Hermes-2-Pro-Llama-3-8B", "", 8_192, 0, "t", ""},
	{"Meta-Llama-3-8B-Instruct", "", 8_192, 0, "t", ""},
	{"llama-3-8b", "", 8_192, 0, "t", ""},
	{"nvidia/Meta-Llama-3.3-49B", "", 131_072, 0, "t", ""},
	{"ollama/gpt-4o", "", 128_000, 16_384, "", ""}, // a router's prefix is no model
	{"llama-4-scout", "", 128_000, 4_096, "t", ""},
	{"gemma:7b", "", 8_192, 0, "t", ""},
	{"gemma3:12b", "", 131_072, 8_192, "t", ""},
	{"google/gemma-4-31b-it", "", 131_072, 8_192, "t", ""},
	{"phi4:latest", "", 16_384, 0, "t", ""},
	{"phi-3-medium-128k-instruct", "", 128_000, 0, "t", ""},
	{"phi3:mini", "", 128_000, 0, "t", ""},
	{"phi-3-mini-4k-instruct", "", 4_096, 0, "t", ""},
	{"phi-3-small-8k-instruct", "", 8_192, 0, "t", ""},
	{"phi-4-mini", "", 128_000, 0, "t", ""},
	{"phi4-mini:3.8b", "", 128_000, 0, "t", ""},
	{"phi-4-reasoning", "", 32_000, 0, "t", ""},
	{"hermes-4-70b", "", 128_000, 0, "t", ""},
	{"granite4:micro", "", 131_072, 0, "t", ""},
	{"nemotron-mini", "", 128_000, 0, "t", ""},
	{"nemotron-3-nano:30b", "", 262_144, 0, "t", ""},
	{"functionary-small-v3", "", 8_192, 0, "t", ""},
	{"gpt-5-mini", "api.openai.com", 400_000, 128_000, "hn", "minimal low medium high"},
	{"my-deployment", "house.openai.azure.com", 0, 0, "", ""},
}

// Which models see: those that an entry says so of. All others count as blind.
func TestKnownModelsThatSee(t *testing.T) {
	for _, m := range seeing {
		require.True(t, models.Builtin().Lookup(m, "").TakesImages(), m)
	}
	for _, m := range blind {
		require.False(t, models.Builtin().Lookup(m, "").TakesImages(), m)
	}
}

var seeing = []string{"gpt-4o-mini", "gpt-4-turbo", "gpt-4.1", "gpt-5-mini", "gpt-5.4", "o3", "o1", "anthropic/claude-sonnet-4.5", "claude-3-haiku-20240307", "gemini-2.5-flash",
	"grok-4", "grok-2-vision-1212", "us.amazon.nova-pro-v1:0", "amazon.nova-lite-v1:0", "amazon.nova-premier-v1:0", "amazon.nova-2-lite-v1:0", "command-a-vision-07-2025", "mistral-large-2512", "mistral-large-latest", "mistral-medium-2505",
	"mistral-small3.2:24b", "mistral-small-2603", "pixtral-12b", "kimi-k2.5", "glm-4.5v", "glm-4.6v", "qwen2-vl-7b", "qwen2.5vl:7b", "qwen3-vl:8b", "llama-4-scout", "llama3.2-vision:11b",
	"meta-llama/Llama-3.2-11B-Vision-Instruct", "gemma3:12b", "google/gemma-3-27b-it", "phi-3.5-vision-instruct", "phi-4-multimodal-instruct", "granite-vision-3.2", "llava:13b", "minicpm-v:8b", "internvl3-8b"}

var blind = []string{"gpt-4", "gpt-3.5-turbo", "gpt-oss:20b", "o3-mini", "o1-mini", "o1-preview", "claude-2.1", "claude-instant-1.2", "grok-code-fast-1", "grok-3", "amazon.nova-micro-v1:0", "command-a-03-2025", "deepseek-v4", "glm-4.6",
	"qwen3:8b", "qwen3-coder", "llama3.2:3b", "llama3.1:8b", "gemma:7b", "gemma3:1b", "gemma3:270m", "google/gemma-3-1b-it", "google/gemma-3-270m-it", "phi-4", "phi-3-mini-4k-instruct", "granite4:micro", "mixtral:8x7b", "unheard-of"}

func TestKnownModels(t *testing.T) { // L-10
	for _, k := range known {
		s := models.Builtin().Lookup(k.model, k.host)
		require.Equal(t, [2]int{k.window, k.output}, [2]int{s.Window, s.MaxOutput}, k.model)
		require.Equal(t, k.efforts, s.Efforts, k.model)
		more := ""
		for _, f := range []struct {
			is   bool
			mark string
		}{{s.Heat.Omit, "h"}, {s.Repairs == models.RepairEcho, "e"}, {s.InText != nil, "t"}, {s.CallIDs == models.CallIDsNine, "9"}, {s.LimitParam != "", "n"}} {
			if f.is {
				more += f.mark
			}
		}
		require.ElementsMatch(t, []byte(k.more), []byte(more), "%s: %s", k.model, more)
		require.Empty(t, s.Effort, "what the maker thinks best is sent unless somebody says otherwise")
	}
}

// Every rule decides something for a model that is known: none is hidden by
// later ones or written so that it fits nothing.
func TestNoRuleIsHidden(t *testing.T) {
	all := models.Builtin().Rules()
	for i, r := range all {
		if campaign.Leaves(i, 4) {
			continue
		}
		without := models.Table{}.With(slices.Delete(slices.Clone(all), i, i+1)...)
		decides := func(model, host string) bool {
			return without.Lookup(model, host) != models.Builtin().Lookup(model, host)
		}
		require.True(t, slices.ContainsFunc(known, func(k example) bool { return decides(k.model, k.host) }) ||
			slices.ContainsFunc(slices.Concat(seeing, blind), func(m string) bool { return decides(m, "") }), "the rule for model %q, endpoint %q changes nothing", r.Model, r.Endpoint)
	}
}

func TestNearestEffort(t *testing.T) {
	for _, tc := range []struct {
		list       models.Efforts
		want, gets string
	}{
		{"", "max", "max"}, {"low medium high", "", ""}, {"low medium high", "medium", "medium"}, {"low medium high", "max", "high"},
		{"low medium high", "none", "low"}, {"none high", "medium", "none"}, {"high max", "low", "high"}, {"medium", "xhigh", "medium"},
	} {
		require.Equal(t, tc.gets, tc.list.Nearest(tc.want), "%s of %s", tc.want, tc.list)
	}
}
