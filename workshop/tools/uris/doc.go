// Package uris reads what a URI names: files of the workbench through file:
// URIs, everything else through a fetch that is injected (READ-URI).
//
//	file:///assets/brand.md   from the root of the workbench, the space
//	file:notes.md             from the chat's files, the folder "files" of the workbench
//	file://host/x             reserved
//	https://…, sila://…       handed to the base fetch
//
// Names are matched exactly, segment by segment, and only inside the workbench:
// a URI cannot express a path of the host.
package uris
