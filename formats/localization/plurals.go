package localization

import "strings"

// pluralRules are the plural forms of languages (GNU gettext manual, "Plural
// forms", and the Unicode plural rules).
var pluralRules = func() map[string]string {
	m := map[string]string{}
	for rule, languages := range map[string]string{
		"nplurals=1; plural=0;":        "ja zh ko vi th id ms lo my km bo wo yo ig jv su",
		"nplurals=2; plural=(n != 1);": "en de nl sv da nb nn no fy es it ca gl eu pt el bg hu fi et he hi bn gu kn ml mr ne or pa ta te ur sw af sq az ka eo fo fur ha is kk ku ky lb mn ps so sn tk yi zu xh st nso tn ts ve",
		"nplurals=2; plural=(n > 1);":  "fr oc br tr uz fa fil ln mg mi tg ti wa am",
		"nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);": "ru uk be sr hr bs",
		"nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);":                 "pl",
		"nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;":                                                "cs sk",
		"nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);":            "lt",
		"nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);":                                        "lv",
		"nplurals=3; plural=(n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2);":                           "ro mo",
		"nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);":                       "sl",
		"nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);":   "ar",
		"nplurals=5; plural=(n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4);":                                     "ga",
		"nplurals=4; plural=(n==1 || n==11) ? 0 : (n==2 || n==12) ? 1 : (n > 2 && n < 20) ? 2 : 3;":              "gd",
		"nplurals=4; plural=(n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : (n%100>10 && n%100<20) ? 2 : 3);":    "mt",
		"nplurals=4; plural=(n==1) ? 0 : (n==2) ? 1 : (n != 8 && n != 11) ? 2 : 3;":                              "cy",
		"nplurals=2; plural=(n==1 || n%10==1 ? 0 : 1);":                                                          "mk",
	} {
		for _, l := range strings.Fields(languages) {
			m[l] = rule
		}
	}
	return m
}()
