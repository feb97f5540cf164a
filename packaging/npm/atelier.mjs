#!/usr/bin/env node
// Starts the program of this system, which is in a package for each system and
// processor. Nothing is downloaded or built, when it is installed neither.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const name = `atelier-${process.platform}-${process.arch}`;
let program;
try {
	program = createRequire(import.meta.url).resolve(`${name}/bin/atelier${process.platform === "win32" ? ".exe" : ""}`);
} catch {
	console.error(`atelier: the package ${name} is not installed. There is none for other systems than Linux, macOS and Windows on x64 and arm64; else install again without --omit=optional.`);
	process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends the program what it sends this one. A signal of kill reaches this
// process only.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
process.on("SIGINT", () => {});
child.on("error", (err) => {
	console.error(`atelier: ${program} does not start: ${err.message}`);
	process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
