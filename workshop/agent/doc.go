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
//   - A turn: run.go, ask.go (the request and its retries), execute.go (the
//     calls), stuck.go, blank.go, events.go.
//   - What the model sees: manifest.go, standing.go, history.go, toolset.go.
//   - The window: tokens.go, pressure.go, room.go; compact.go with summary.go,
//     shrink.go and ondemand.go makes room.
//   - Phases: workflow.go, phase.go, phases.go, phaserules.go, abandoned.go;
//     package rpi keeps the plan.
//   - People: question.go, steer.go, steering.go, approve.go.
//   - Money and time: usage.go, ledger.go; budget.go with bounds.go, amounts.go,
//     cut.go, clock.go and timeup.go; meter.go and metertime.go for translations.
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
