package docx

import "atelier/internal/lazyregexp"

// reachingField are fields that get something from outside (17.16.5): data of
// other programs, texts, pictures, databases. A hyperlink with a switch \l alone
// stays inside.
var reachingField = lazyregexp.New(`(?i)^\s*(DDE|DDEAUTO|LINK|IMPORT|INCLUDE|INCLUDETEXT|INCLUDEPICTURE|DATABASE|RD)\b|^\s*HYPERLINK\s+"?[^\\"\s]`)
