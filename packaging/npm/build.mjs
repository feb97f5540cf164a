// Makes the packages of npm from the programs that goreleaser built:
//
//	node packaging/npm/build.mjs dist VERSION
//
// One package has the launcher; one for each system and processor has the program, and
// npm installs the one whose "os" and "cpu" fit. All have the same version.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [dist, version] = process.argv.slice(2);
if (!dist || !version) throw new Error("usage: node build.mjs DIST VERSION");
const here = dirname(fileURLToPath(import.meta.url)), root = resolve(here, "../..");
const systems = { linux: "linux", darwin: "darwin", windows: "win32" }, processors = { amd64: "x64", arm64: "arm64" };
const out = join(dist, "npm");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const common = {
	version, license: "Apache-2.0", ...(process.env.ATELIER_HOMEPAGE ? { homepage: process.env.ATELIER_HOMEPAGE } : {}),
};

function pack(name, members, files) {
	const dir = join(out, name);
	mkdirSync(dir);
	for (const [to, from] of Object.entries({ ...files, LICENSE: join(root, "LICENSE"), "THIRD_PARTY_NOTICES.txt": join(root, "packaging/notices/THIRD_PARTY_NOTICES.txt") })) {
		mkdirSync(dirname(join(dir, to)), { recursive: true });
		copyFileSync(from, join(dir, to));
		if (to.startsWith("bin/")) chmodSync(join(dir, to), 0o755);
	}
	writeFileSync(join(dir, "package.json"), JSON.stringify({ name, ...common, ...members }, null, "\t") + "\n");
	execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", out, dir], { stdio: ["ignore", "ignore", "inherit"], shell: process.platform === "win32" });
	rmSync(dir, { recursive: true });
}

const optionalDependencies = {};
// goreleaser lists programs as they are ready; a fixed order makes equal packages.
const programs = JSON.parse(readFileSync(join(dist, "artifacts.json"), "utf8")).sort((a, b) => (a.path < b.path ? -1 : 1));
for (const a of programs) {
	if (a.type !== "Binary" || a.extra?.ID === "atelier-cluster") continue; // that one is for servers
	const os = systems[a.goos], cpu = processors[a.goarch], name = `atelier-${os}-${cpu}`;
	optionalDependencies[name] = version;
	pack(name, { description: `The program atelier for ${os} on ${cpu}; install the package atelier`, os: [os], cpu: [cpu], preferUnplugged: true },
		{ [`bin/atelier${os === "win32" ? ".exe" : ""}`]: a.path });
}
pack("atelier", {
	description: "Let a language model work on documents, in a draft you review",
	keywords: ["xlsx", "docx", "pptx", "documents", "mcp", "language-model"],
	bin: { atelier: "bin/atelier.mjs" }, engines: { node: ">=18" }, optionalDependencies,
}, { "bin/atelier.mjs": join(here, "atelier.mjs"), "README.md": join(root, "README.md") });
console.log(`packages of npm: ${Object.keys(optionalDependencies).length + 1} in ${out}`);
