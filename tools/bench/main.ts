/** `npm run bench -- NAME`: benchmarks of the table on the built server, in rounds; prints a table. */
import { cpus } from 'node:os'
import { answerHelp, readOptions } from '../help.mjs'
import { must } from '../processes.mjs'
import { startSharedPostgres } from '../simulate/database.ts'
import { median, medians, Round, textOf, type Result } from './measure.ts'

/** Subject of a benchmark, and its program, which a list of all names does not load. */
type Bench = readonly [measures: string, load: () => Promise<(round: Round) => Promise<void>>]

const benches: Readonly<Record<string, Bench>> = {
  start: ['start of the process until the first answer', async () => (await import('./start.ts')).start],
  rest: ['lists and searches with 10,000 devices', async () => (await import('./requests.ts')).rest],
  writes: ['durable writes over HTTP', async () => (await import('./requests.ts')).writes],
  agents: ['1,000 agents that enroll, connect and report', async () => (await import('./agents.ts')).agents],
  files: ['a file of 200 MB from and to a device', async () => (await import('./files.ts')).files],
  relay: ['frames through the relay', async () => (await import('./relay.ts')).relay],
  terminal: ['keystroke until its echo', async () => (await import('./terminal.ts')).terminal],
  cluster: [
    '18,500 agents, also with --servers N: reports, a restart',
    async () => (await import('./cluster.ts')).cluster,
  ],
  'remote-control': [
    'drawing at a device until a browser shows it',
    async () => (await import('./remote-control.ts')).remoteControl,
  ],
  'start-of-session': [
    'click on Control until the first picture',
    async () => (await import('./remote-control.ts')).startOfSession,
  ],
  recording: [
    'frames with and without a recording, and its bytes',
    async () => (await import('./recording.ts')).recording,
  ],
  'small-files': ['1,001 files of 4 KiB to and from a device', async () => (await import('./files.ts')).smallFiles],
  floods: ['/health and memory while strangers flood the server', async () => (await import('./floods.ts')).floods],
  worst: ['longest block by the hardest requests of every route', async () => (await import('./worst.ts')).worst],
}

/** Benchmarks that need no browser and no display, and take a few minutes. */
const all = ['start', 'rest', 'writes', 'agents', 'files', 'relay', 'terminal']

answerHelp(`npm run bench -- NAME... [--rounds N] [--only TEXT] [--agents N] [--servers N] [--seconds N] [--postgres]
       npm run bench -- all [...]

Benchmarks on the built server; prints a table in Markdown. all: ${all.join(', ')}.

${Object.entries(benches)
  .map(([name, [measures]]) => `  ${name.padEnd(17)} ${measures}`)
  .join('\n')}

  --rounds N        rounds; 3 for all, otherwise 1
  --only TEXT       only the work whose name contains the text
  --postgres        the data in a PostgreSQL of its own, as initdb sets it up; its processor time counts`)

const { positionals, values } = readOptions({
  allowPositionals: true,
  options: {
    agents: { type: 'string' },
    servers: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    postgres: { type: 'boolean' },
  },
})

const isAll = positionals[0] === 'all'
const names = isAll ? all : positionals
if (names.length === 0 || !names.every((name) => Object.hasOwn(benches, name))) {
  process.stderr.write(`Name one of: all, ${Object.keys(benches).join(', ')}.\n`)
  process.exit(2)
}
// Standard output is the table.
await must('tools/build.mjs', [], { stdio: ['ignore', 2, 'inherit'] })
const rounds = Number(values.rounds ?? (isAll ? 3 : 1))
for (const signal of ['SIGINT', 'SIGTERM']) {
  // Runs what ends with this program.
  process.once(signal, () => process.exit(1))
}
if (values.postgres) {
  await startSharedPostgres()
}
const results: Result[] = []
for (let number = 1; number <= rounds; number++) {
  for (const name of names) {
    process.stderr.write(`${name}, round ${number} of ${rounds}\n`)
    const [, load] = benches[name]!
    const round = new Round(values)
    const bench = await load()
    await bench(round)
    results.push(...round.results)
  }
}

/** Ratio of the first figure to the bare server's: above 1 is better than bare. */
function ratioOf({ product, bare }: Result): number[] {
  const [name = ''] = Object.keys(product)
  const ratio = bare && (/perSecond$/i.test(name) ? product[name]! / bare[name]! : bare[name]! / product[name]!)
  return ratio === undefined ? [] : [ratio]
}

const lines = [...Map.groupBy(results, ({ work }) => work)].map(([work, same]) => {
  const ratios = same.flatMap(ratioOf)
  const ratio = ratios.length === 0 ? '' : median(ratios).toFixed(2)
  const bare = same.flatMap(({ bare: figures }) => (figures ? [figures] : []))
  return `| ${work} | ${ratio} | ${textOf(medians(same.map(({ product }) => product)))} | ${textOf(medians(bare))} |`
})
process.stdout
  .write(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} processors (${cpus()[0]?.model.trim()}), Node ${process.versions.node}, ${rounds} rounds.

| Work | Ratio to bare | Farhand | Bare server |
| --- | --- | --- | --- |
${lines.join('\n')}
`)
process.exit()
