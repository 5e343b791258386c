/** Texts by which programs report a missing program or library, with its name as the first group. */
const reports = [
  /\bspawn(?:Sync)? (\S+) ENOENT\b/g,
  /\b(?:sh|bash)(?:: line)?:? \d+: (\S+): (?:command )?not found/g,
  /\bapt-get could not install ([^\n.]+)/g,
  /error while loading shared libraries: ([^:\s]+)/g,
  /Cannot find (?:module|package) '([^']+)'/g,
]

/** Names of programs, packages and libraries that an output reports as missing, each once. */
export const missingIn = (output: string): string[] => [
  ...new Set(reports.flatMap((report) => [...output.matchAll(report)].map(([, name]) => name!))),
]
