// Package files has the tools that work on files of any kind: list, read,
// write, edit, search and so on. Each is one file with its arguments, its
// result and a constructor; catalogues bind them to their own names, paths and
// shapes (package catalogue).
package files
