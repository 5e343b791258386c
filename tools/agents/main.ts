/** `npm run agents`: builds the agents for every system, on any system. */
import { answerHelp } from '../help.mjs'
import { buildDownloads, stepsFor } from './downloads.ts'
import { bundleRuntimes, FetchError } from './packages.ts'

answerHelp(`npm run agents [-- RUNTIME...]

Builds what devices download, below dist/downloads: for ${bundleRuntimes.join(', ')}, or for those that are named.
Node and the native parts for other systems come from the npm registry the first time, each checked against its recorded
hash, and are kept in dist/packages. A running server offers them at once.`)

const named = process.argv.slice(2)
const unknown = named.filter((name) => !bundleRuntimes.some((runtime) => runtime === name))

if (unknown.length > 0) {
  const why = unknown.includes('win-x86') ? ' Node 24, which runs the agent, is not made for 32-bit Windows.' : ''
  process.stderr.write(
    `There is no agent for ${unknown.join(', ')}; it is one of ${bundleRuntimes.join(', ')}.${why}\n`,
  )
  process.exit(2)
}
const wanted = bundleRuntimes.filter((runtime) => named.length === 0 || named.includes(runtime))
const steps = wanted.reduce((sum, runtime) => sum + stepsFor(runtime), 0)
// Exits on these signals, because temporary folders are deleted on exit.
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.once(signal, () => process.exit(128 + number))
}
let step = 0
const say = (line: string) => void process.stdout.write(`${line}\n`)
try {
  // The server parses these lines during a build.
  await buildDownloads(wanted, { begin: (text) => say(`[${++step}/${steps}] ${text}`), made: say })
} catch (error) {
  if (!(error instanceof FetchError)) {
    throw error
  }
  process.stderr.write(`Error: ${error.message}\n`)
  process.exit(1)
}
