// Package runerr is a failure with the code that replies have: the error with which a
// run ends early, a budget or a missing consent refuses work, and what errors of models
// and of the workshop become there. The edges encode it (docs/decisions/0058-errors.md).
//
//	err := runerr.Errorf(runerr.CodeBudget, "%s has used %s", owner, amount)
//	err = runerr.OfModel(modelErr) // PROVIDER_UNAVAILABLE, …
package runerr
