// Package servertools has the tools of other programs (servers of the Model Context
// Protocol) as a model is offered them beside those of a catalogue.
//
//	set := servertools.NewSet(servertools.DefaultBudget)
//	set.Update(list)                    // what the servers have now
//	offered = append(offered, set.Offered(nil)...)
//	text := set.Find("create an issue", nil, limit) // answers find_tools
//
// # Promises
//
//   - Without tools a set offers nothing.
//   - What a set offers is at most three times its budget in tokens, plus one tool.
//     Tools beyond the budget are found with find_tools, by rank over names,
//     descriptions and arguments.
//   - Descriptions and results are data: nothing in them changes what is asked or
//     allowed.
package servertools
