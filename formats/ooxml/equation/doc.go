// Package equation reads Office Math (ECMA-376-1, 22.1) as LaTeX and writes it
// from LaTeX.
//
//	text := equation.Text(xml)                       // \frac{a}{b}+√… of an m:oMath or m:oMathPara
//	xml, err := equation.FromLaTeX(`\frac{a}{b}`, equation.Names{Math: "m:", Word: "w:", Font: true})
//
// Text writes structures as LaTeX commands and keeps characters such as α and ≤
// as they are. FromLaTeX accepts both. What Text writes for an equation of
// FromLaTeX gives that equation again.
package equation
