package pseudo_test

import (
	"testing"

	"atelier/llm"
	"atelier/llm/llmtest"
	"atelier/llm/pseudo"
)

func TestSuite(t *testing.T) {
	llmtest.Run(t, llmtest.Subject{Client: func(*testing.T) llm.Client { return pseudo.New() }, Model: pseudo.Model})
}
