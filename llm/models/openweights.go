package models

// openWeights are models that many endpoints serve, most of them local servers.
// A server may have been started with a smaller window than the model's; doctor
// finds that out.
var openWeights = []Rule{
	model("gpt-oss*", 131_072, 65_536).inText().thinks(efforts3),
	// Mistral
	model("*mistral*", 128_000, 0).nine(),
	model("mistral-large*", 131_072, 0),
	model("mistral-large-2512*", 262_144, 0).sees(),
	model("mistral-large-latest", 262_144, 0).sees(),
	model("mistral-medium*", 131_072, 0).sees(),
	model("mistral-medium-2604*", 262_144, 0).thinks("none high"),
	model("mistral-medium-3-5*", 262_144, 0).thinks("none high"),
	model("mistral-small3.[12]*", 0, 0).sees(),
	model("mistral-small-2603*", 256_000, 0).thinks("none high").sees(),
	model("open-mistral-7b*", 8_000, 0),
	model("mistral-7b*", 32_768, 0), // from memory
	model("mistral:*", 32_768, 0),   // from memory
	model("ministral*", 128_000, 0).nine(),
	model("codestral*", 256_000, 0).nine(),
	model("devstral*", 128_000, 0).nine(),
	model("devstral*2512*", 256_000, 0),
	model("magistral*", 128_000, 16_384).nine(),
	model("pixtral*", 128_000, 0).nine().sees(),
	model("*mixtral*", 32_000, 0).nine(),
	model("*mixtral-8x22b*", 64_000, 0),
	// DeepSeek. Its own endpoint serves its old names with the newest model.
	model("deepseek*", 128_000, 8_000),
	model("deepseek-v[4-9]*", 1_000_000, 384_000).echo().thinks("high max"),
	model("deepseek-reasoner*", 128_000, 64_000).echo(),
	model("deepseek-r1*", 64_000, 8_000).inText(),
	// Moonshot
	model("kimi*", 131_072, 0), // from memory
	model("kimi-k2*", 131_072, 16_384),
	model("kimi-k2-0905*", 262_144, 0),
	model("kimi-k2-thinking*", 262_144, 0).echo(),
	model("kimi-k2.[5-9]*", 262_144, 32_768).echo().cold().sees(),
	model("kimi-for-coding*", 262_144, 32_768).echo().cold(),
	model("kimi-k3*", 1_048_576, 131_072).echo().cold(),
	model("k3", 1_048_576, 131_072).echo().cold(),
	model("k3-256k*", 262_144, 32_768).echo().cold(),
	model("moonshot-v1-8k*", 8_192, 4_096),
	model("moonshot-v1-32k*", 32_768, 8_192),
	model("moonshot-v1-128k*", 131_072, 16_384),
	// Z.ai
	model("glm-4*", 131_072, 0), // from memory
	model("glm-4.5*", 131_072, 49_152),
	model("glm-4.5v*", 64_000, 8_192).sees(),
	model("glm-4.6*", 200_000, 98_000),
	model("glm-4.6v*", 128_000, 32_768).sees(),
	model("glm-4.7*", 200_000, 65_550),
	model("glm-5*", 200_000, 65_536),
	model("glm-5.[2-9]*", 1_000_000, 131_072),
	// MiniMax
	model("minimax-m2*", 196_608, 128_000),
	model("minimax-m3*", 1_000_000, 128_000),
	// Alibaba
	model("qwen*", 32_768, 8_192).inText(),
	model("qwq*", 131_072, 8_192).inText(),
	model("qwen-plus*", 1_000_000, 16_384),
	model("qwen-flash*", 1_000_000, 32_768),
	model("qwen-turbo*", 1_000_000, 16_384),
	model("qwen3*", 40_960, 8_192),
	model("qwen3-*2507*", 131_072, 8_192),
	model("qwen3-max*", 262_144, 32_768),
	model("qwen3-next*", 131_072, 16_384),
	model("qwen*-vl*", 0, 0).sees(),
	model("qwen2.5vl*", 128_000, 8_192).sees(),
	model("qwen3-vl*", 131_072, 16_384).sees(),
	model("qwen3-coder*", 262_144, 32_768),
	model("qwen3-coder-plus*", 1_000_000, 32_768),
	model("qwen3-coder-flash*", 1_000_000, 32_768),
	model("qwen3.[5-7]*", 256_000, 32_768),
	model("qwen3.[5-7]-plus*", 1_000_000, 32_768),
	model("qwen3.[67]-flash*", 1_000_000, 32_768),
	model("qwen3.7-max*", 1_000_000, 64_000),
	model("qwen3.8*", 1_000_000, 64_000),
	model("*hermes*", 128_000, 0).inText(),
	// Meta; the short names are those of Ollama
	model("llama*", 131_072, 0).inText(),
	model("*-llama-*", 131_072, 0).inText(),
	model("llama2*", 4_096, 0),     // from memory
	model("llama-2-*", 4_096, 0),   // from memory
	model("llama3:*", 8_192, 0),    // from memory
	model("llama-3-*", 8_192, 0),   // from memory
	model("*-llama-3-*", 8_192, 0), // from memory
	model("llama-4*", 128_000, 4_096).sees(),
	model("*llama3.2-vision*", 0, 0).sees(),
	model("*llama-3.2-*-vision*", 0, 0).sees(),
	// Google
	model("gemma*", 8_192, 0).inText(), // from memory
	model("gemma[34]*", 131_072, 8_192).sees(),
	model("gemma3:1b*", 32_768, 0).blind(),
	model("gemma3:270m*", 32_768, 0).blind(),
	model("gemma-[34]*", 131_072, 8_192).sees(),
	model("gemma-3-1b*", 32_768, 0).blind(),
	model("gemma-3-270m*", 32_768, 0).blind(),
	// Microsoft
	model("phi*", 16_384, 0).inText(), // from memory
	model("phi-3*", 128_000, 0),
	model("phi3*", 128_000, 0),
	model("phi-3*-4k*", 4_096, 0),
	model("phi-3*-8k*", 8_192, 0),
	model("phi-3*vision*", 0, 0).sees(),
	model("phi-4-multimodal*", 128_000, 0).sees(),
	model("phi-4-mini*", 128_000, 0),
	model("phi4-mini*", 128_000, 0),
	model("phi-4-reasoning*", 32_000, 0),
	// Others
	model("granite*", 131_072, 0).inText(),
	model("granite*vision*", 0, 0).sees(),
	model("*llava*", 0, 0).sees(),
	model("minicpm-v*", 0, 0).sees(),
	model("internvl*", 0, 0).sees(),
	model("nemotron*", 128_000, 0).inText(),
	model("nemotron-3*", 262_144, 0),
	model("functionary*", 8_192, 0).inText(), // from memory
	model("command-r*", 128_000, 4_000).inText(),
}
