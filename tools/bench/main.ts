/** `npm run bench -- NAME`: benchmarks of the table on the built server, in rounds; prints a table. */
import { cpus } from 'node:os'
import { answerHelp, readOptions } from '../help.mjs'
import { must } from '../processes.mjs'
import { startSharedPostgres } from '../simulate/database.ts'
import { median, Round, textOf, medians, type Result } from './measure.ts'
import { all, benches } from './table.ts'

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
    await (
      await load()
    )(round)
    results.push(...round.results)
  }
}

/** Ratio of the first figure to the bare server's: above 1 is better than bare. */
function ratioOf({ product, bare }: Result): number[] {
  const [name = ''] = Object.keys(product)
  const ratio = bare && (name.endsWith('PerSecond') ? product[name]! / bare[name]! : bare[name]! / product[name]!)
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
