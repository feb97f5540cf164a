package main

import pages "atelier/workshop/web"

// fetchOptions configures the fetching of web pages in every command. Tests
// change it so that addresses on this machine can be fetched.
var fetchOptions pages.Options
