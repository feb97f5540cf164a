// Package docpages reads the Markdown pages of this repository: their code
// blocks, links, headings and inline code, each with its line. The tests of the
// documentation and the generator of the site (docs/site) use it.
//
//	page, err := docpages.Read("docs/start.md")
//	for _, b := range page.Blocks() {
//		fmt.Println(b.Line, b.Lang, b.Attrs["no-run"])
//	}
//
// # Blocks that tests run
//
// The info string of a fenced block is a language and attributes:
//
//	```sh                       commands; a test runs them
//	```console                  lines that begin with "$ " are commands, the lines
//	                            after each are its output, which a test compares
//	```sh no-run="needs a key"  not run, for this reason
//
// In shown output "…" stands for any text in a line, and a line that is only "…"
// for any number of lines. Durations such as "4 ms" may differ.
//
// Two comments, which readers do not see, prepare a page:
//
//	<!-- setup cp a b -->   commands that run at this place of the page, on this line
//	                        or on the lines up to the end of the comment
//	<!-- model FILE -->     a fixture of llm/replay, by its path in the repository:
//	                        the answers of a model endpoint for the next block
package docpages
