// Command site makes a static web site of the documentation: the Markdown pages of
// this repository as HTML that needs no server and no JavaScript.
//
//	go run ./docs/site -out /tmp/site
//
// docs/README.md is the first page, and its headings and lists are the navigation of
// every page. A page keeps its path (docs/a/b.md is a/b.html); those at the root of the
// repository are beside it. docs/openapi.json becomes a page of its routes, each folder
// that a page links to a list of its pages, and each source file a page of its text.
// The search reads one script with the text of all sections when somebody types into it,
// so it works from a folder too.
package main
