package engine

// serverMembers describes the members of params about other programs' tools.
func serverMembers() map[string]member {
	return map[string]member{
		"allow_tools":               {about: "patterns of tools of other programs, such as github__get_*, whose calls need no answer in this run; rules come before them"},
		"allowed":                   {about: "whether what models send it may go there without asking"},
		"entry":                     {about: "the entry, in the members that mcp.json has; members of an entry that are not known stay"},
		"ToolServersDecide.hash":    {about: "the hash as ToolServersList gave it, of what the user was shown; not for forget"},
		"ToolServersEnable.enabled": {about: "whether it may be started"},
	}
}

// serverNameMembers describes name and workbench_id of the methods about servers.
func serverNameMembers(rows map[string]member) {
	for _, m := range serverMethods() {
		if _, ok := m.Params.FieldByName("Name"); ok {
			rows[m.Name+".name"] = member{about: "the name of the program, as ToolServersList gives it"}
		}
		if _, ok := m.Params.FieldByName("WorkbenchID"); ok && m.Name != "ToolServersDecide" && m.Name != "ToolServersAllow" {
			rows[m.Name+".workbench_id"] = member{about: "the workbench whose folder has programs too; default none: only those of the user"}
		}
	}
	rows["ToolServersSet.name"] = member{about: "what the program is called: the tools of \"github\" are github__…"}
}

func init() {
	for name, about := range map[string]string{
		"ToolServersResult.servers":  "the programs, by name, those of the user first",
		"ToolServersResult.problems": "parts of the configuration that do not count",
		"ToolServerProblem.file":     "the file",
		"ToolServerProblem.line":     "the line; left out where it concerns the whole file",
		"ToolServerProblem.what":     "what is wrong, and what to do",
		"ToolServer.name":            "its name",
		"ToolServer.source":          "whose it is: user (mcp.json of the data folder) or folder (.atelier/mcp.json of the workbench's folder)",
		"ToolServer.state":           "off, invalid, hidden (the user has one of that name), needs_approval, changed (since it was approved), declined, idle (started when needed), starting, ready, needs_sign_in or failed",
		"ToolServer.why":             "why it is in that state, for a person",
		"ToolServer.retry_at":        "when a failed one is tried again, RFC 3339",
		"ToolServer.hash":            "names this state of the entry: ToolServersDecide takes it",
		"ToolServer.kind":            "stdio (a program on this machine) or http",
		"ToolServer.command":         "the program and its arguments, before variables are filled in",
		"ToolServer.cwd":             "the current folder of the program",
		"ToolServer.url":             "the address, without user, query and fragment",
		"ToolServer.env":             "names of variables that it gets; their values are not told",
		"ToolServer.headers":         "names of headers that it gets; their values are not told",
		"ToolServer.roots":           "whether it is told the folder of the workbench",
		"ToolServer.timeout":         "how long a call may take, in seconds",
		"ToolServer.signed_in":       "whether a sign-in to it is kept",
		"ToolServer.title":           "what it calls itself, once connected",
		"ToolServer.version":         "its version as it says, once connected",
		"ToolServer.protocol":        "the revision of the protocol, once connected",
		"ToolServer.restarts":        "how often it was started again",
		"ToolServer.entry":           "a folder's entry as its file has it, JSON; who decides about it has to see all of it",
		"ToolServer.allowed":         "whether runs in the workbench send it what the model wants without asking",
		"ToolServerTested.server":    "the program as it is now",
		"ToolServerTested.tools":     "its tools",
		"ToolServerTool.name":        "what models call it: SERVER__TOOL",
		"ToolServerTool.tool":        "what the program calls it",
		"ToolServerTool.title":       "what people call it",
		"ToolServerTool.read_only":   "the program says that it changes nothing; others are asked about",
		"ToolServerTool.destructive": "the program does not say that it deletes and replaces nothing",
		"ToolServerTool.idempotent":  "the program says that a second call changes nothing more",
		"ToolServerTool.open_world":  "the program does not say that it stays with what it knows itself",
		"input_schema":               "JSON Schema of its arguments",
		"ToolServersChanged.name":    "the name of the program",
		"ToolServerSignIn.name":      "the name of the program",
		"ToolServerSignIn.address":   "the address to open in a browser",
		"ServerProblems.servers":     "the programs; none when what was missing is there now",
		"ServerProblems.waiting":     "the run waits for programs that start",
		"Problem.server":             "the name of the program",
		"Problem.state":              "its state, as ToolServersList has it",
		"Problem.reason":             "why, for a person; it can quote the program",

		"Entry.type":         "stdio or http; left out, it is what command or url say",
		"Entry.command":      "the program to start",
		"Entry.args":         "its arguments",
		"Entry.env":          "variables that it gets, beside a few of the environment; ${VAR} and ${VAR:-default} are filled in",
		"Entry.cwd":          "its current folder; default that of the workbench",
		"Entry.url":          "the address of an http server",
		"Entry.headers":      "headers of each request to it",
		"Entry.disabled":     "it is not started",
		"Entry.timeout":      "how long a call may take: milliseconds",
		"Entry.roots":        "tell it the folder of the workbench",
		"Entry.oauth":        "what the person got when they registered Atelier with it",
		"OAuth.clientId":     "the client id",
		"OAuth.clientSecret": "the client secret",
		"OAuth.callbackPort": "the port of the loopback address; 0 is any",
		"OAuth.scopes":       "scopes to ask for instead of those that the server names",
		"OAuth.grantType":    "client_credentials signs in without a person; default authorization_code",

		"Request.outside":     "the call of another program's tool; left out for tools on documents",
		"Outside.server":      "the name of the program",
		"Outside.tool":        "what the program calls the tool",
		"Outside.title":       "what people call the tool",
		"Outside.description": "the description of the tool, shortened",
		"Outside.arguments":   "the arguments, JSON; shortened where they are long",
		"Outside.cut":         "whether arguments were shortened",
		"Outside.destructive": "the program says that the tool may delete or replace something",
		"Outside.read_only":   "the program says that the tool changes nothing",
		"Outside.changed":     "the tool was allowed for good, and is another one now",
		"Grant.of":            "what the tool of another program was when it was allowed; one that has changed is asked about again",
	} {
		resultMembers[name] = about
	}
}
