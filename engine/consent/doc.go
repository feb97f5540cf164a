// Package consent decides which content of a person's documents may go to which
// model or web host, and keeps what the person allowed.
//
//	store := consent.NewStore(consent.Options{Logs: logs})
//	docs := consent.Documents{Workbench: wb, Approvals: rules, Active: files}
//	c, err := store.ForRun(ctx, docs, consent.ToModel("gpt-5", party, address))
//	if !c.Given() {
//		return c.Refusal() // names the files; after the person agreed: store.Grant(ctx, c, c.Scope.Files, true)
//	}
//	client = store.Client(client, c, egress.KindRun) // its requests may go to that endpoint
//	c.Restrict(ctx, &cfg, docs)                      // hides files that are added while the run works
//
// # Promises
//
//   - A consent is to one model at one endpoint and to files by their names. A
//     file that is added later is not part of it.
//   - A revoked consent and a changed mode apply from the next request on, also
//     to work in progress.
//   - The client states in the context of each request where it may go;
//     engine/egress refuses every other address.
package consent
