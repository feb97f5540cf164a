// Package childgroup ends programs together with those that they started.
//
//	cmd := exec.CommandContext(ctx, "soffice")
//	childgroup.Own(cmd)
//	err := childgroup.Run(cmd)
package childgroup
