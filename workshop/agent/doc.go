// Package agent is the loop between a model and its tools: the model answers,
// its tool calls are carried out on the workbench's draft, the results go back,
// until it answers without a call.
//
//	res, err := agent.Run(ctx, agent.Config{
//		Workbench: wb, Catalogue: catalogue.Workshop(), Formats: set,
//		Client: client, APIKey: key, Model: "gpt-5", Events: sink,
//	}, userMessageID)
//
// # Where things are
//
//   - A turn: run.go, request.go (the request and its retries), answer_*.go
//     (answers that do not help), tool_*.go (the calls), events.go.
//   - What the model sees: context_*.go, history.go, sources.go, secrets.go.
//   - The window: window_*.go measure it, compact_*.go make room; package
//     llm/tokens estimates.
//   - Phases: phases_*.go; package phases keeps the plan.
//   - People: tool_question.go, tool_approve.go, steer_*.go.
//   - Money and time: budget.go, budget_cut.go and usage.go ask and report;
//     package spend has the limits, the meter and the log.
//
// Package transcript plays and records whole conversations.
//
// # Promises
//
//   - Each message and each tool result is in the conversation before the next
//     step, so a crash loses at most the step in progress; the next run closes
//     calls that were left without a result.
//   - Every call of an assistant message gets exactly one result, in call order.
//   - Events come from one goroutine in program order; every
//     WorkshopToolExecuting has its WorkshopToolComplete.
//   - A tool that overruns is canceled through its context; its goroutine is
//     waited for briefly and never reported as done.
//   - A model that repeats itself without getting anywhere is warned, then
//     stopped.
package agent
