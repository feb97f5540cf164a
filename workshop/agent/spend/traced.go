package spend

import (
	"context"
	"errors"

	"atelier/internal/trace"
	"atelier/llm"
)

// asks begins the span of a request to a model.
func asks(ctx context.Context, provider, model, purpose string) (context.Context, *trace.Span) {
	return trace.StartKind(ctx, trace.Client, "model request", trace.String("gen_ai.operation.name", "chat"),
		trace.String("gen_ai.provider.name", provider), trace.String("gen_ai.request.model", model), trace.String("atelier.purpose", purpose))
}

// Traced returns c with a span for each request, where no workbench stores what they take.
func Traced(c llm.Client, provider, model, purpose string) llm.Client {
	return llm.Wrap(c, func(ctx context.Context, r llm.Request, next llm.Client) (llm.ChatResponse, error) {
		ctx, span := asks(ctx, provider, model, purpose)
		defer span.End()
		resp, err := next.Chat(ctx, r)
		span.Set(trace.Int("gen_ai.usage.input_tokens", resp.Usage.PromptTokens), trace.Int("gen_ai.usage.output_tokens", resp.Usage.CompletionTokens))
		if err != nil {
			span.Fail(kindOf(err))
		}
		return resp, err
	})
}

// kindOf is the kind of an error of a model.
func kindOf(err error) string {
	var e *llm.Error
	if errors.As(err, &e) {
		return string(e.Kind)
	}
	return "other"
}
