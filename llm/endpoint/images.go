package endpoint

import (
	"atelier/internal/lazyregexp"
	"atelier/llm"
	"atelier/llm/models"
)

// FitImages puts words in the place of the images that the endpoint does not take.
// most is how many it takes in a request, 0 for any number.
func FitImages(messages []llm.Message, most int, made map[string]bool) []llm.Message {
	switch {
	case made[models.RepairNoImages]:
		return llm.WithoutImages(messages, 0, "this model takes no images")
	case made[models.RepairOneImage]:
		return llm.WithoutImages(messages, 1, "this model takes one image at a time, and a later one is shown")
	case most > 0:
		return llm.WithoutImages(messages, most, "this model does not take so many images, and later ones are shown")
	}
	return messages
}

// ImagesOfResults begins the message that carries the images of tool results: in
// chat completions the result itself may have text only.
const ImagesOfResults = "Images of the results above:"

// ImagesBehindResults puts the images of tool results into a message of the user behind
// all results of the turn.
func ImagesBehindResults(messages []llm.Message) []llm.Message {
	if llm.CountImages(messages) == 0 {
		return messages
	}
	var out []llm.Message
	var waiting []llm.Image
	for i, m := range messages {
		if m.Role == llm.RoleTool {
			waiting = append(waiting, m.Images...)
			m.Images = nil
		}
		out = append(out, m)
		if len(waiting) > 0 && (i+1 == len(messages) || messages[i+1].Role != llm.RoleTool) {
			out = append(out, llm.Message{Role: llm.RoleUser, Content: ImagesOfResults, Images: waiting})
			waiting = nil
		}
	}
	return out
}

// The words with which endpoints refuse images, lower case.
var (
	// OneImage are those of endpoints that take one image in a request:
	// vLLM (--limit-mm-per-prompt); Groq, Together
	OneImage = lazyregexp.New(`at most (1|one) image|(only|maximum of) (1|one|a single) image|too many images|multiple images (are )?not supported|does not support (multi-|multiple )images?`)
	// NoImages are those of endpoints that take none, or not these:
	// OpenAI; vLLM ("… is not a multimodal model"); Ollama, llama.cpp without --mmproj; OpenRouter; Groq,
	// DeepSeek, Mistral; Anthropic (a picture it cannot read or of too many pixels); gateways that take no list of parts
	NoImages = lazyregexp.New(`image[ _]?url.{0,80}(not supported|unsupported|only supported|unknown|not allowed|invalid|unexpected)|(not|n't|un) ?support(s|ed|ing)?( for)? .{0,40}(image|vision|multi-?modal)|image inputs? (is|are) not|` +
		`not a multi-?modal model|mmproj|support image input|image.{0,60}(exceeds?|too large|not process|unable to process|not (be )?supported|not valid|cannot be decoded|unreadable)|could not process image|missing data required for image|model .{0,60}text[- ]only|` +
		`unknown variant .?image_url|content.{0,80}(must be a string|should be a valid string|expected a string, got (array|sequence|list)|invalid type: sequence)|vision is not enabled`)
)
