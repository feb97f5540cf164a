// Package rules says conditional formats (18.3.1.10) and data validations
// (18.3.1.32) in words, those of the 2009 extension too ([MS-XLSX] 2.6.90).
//
//	w := rules.Words{Looks: lb}
//	w.Format(tag, raw)     // "cell > 5", "colour scale red → green"
//	w.Validation(tag, raw) // "whole number between 1 and 9, prompt “1 to 9”"
package rules
