/** `npm run bench -- NAME`: benchmarks of the table on the built server, in rounds; prints a table. */
import { cpus } from 'node:os'
import { answerHelp, readOptions } from '../help.mjs'
import { startSharedPostgres } from '../simulate/database.ts'
import { median, medians, rounded, Round, type Figures, type Result } from './measure.ts'
import { benches } from './table.ts'

const withBaseline = Object.keys(benches).filter((name) => benches[name]?.bare !== undefined)

answerHelp(`npm run bench -- NAME... [--rounds N] [--only TEXT] [--agents N] [--servers N] [--seconds N] [--postgres]
       npm run bench -- all [...]

Benchmarks on the built server, or all that have a bare server as their baseline; prints a table in Markdown.

${Object.entries(benches)
  .map(([name, { measures, bare }]) => `  ${name.padEnd(17)} ${measures}${bare ? `; bare: ${bare}` : ''}`)
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
const names = isAll ? withBaseline : positionals
if (names.length === 0 || !names.every((name) => Object.hasOwn(benches, name))) {
  process.stderr.write(`Name one of: all, ${Object.keys(benches).join(', ')}.\n`)
  process.exit(2)
}
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
    const run = await benches[name]!.load()
    const round = new Round(values)
    await run(round)
    results.push(...round.results)
  }
}

const textOf = (all: readonly (Figures | undefined)[]) =>
  Object.entries(medians(all.filter((figures) => figures !== undefined)))
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

/** Ratio of the first figure whose name is chosen to the bare server's: above 1 is better than bare. */
function ratioText(all: readonly Result[], isChosen: (name: string) => boolean): string {
  const ratios = all.flatMap(({ product, bare = {} }) => {
    const name = Object.keys(product).find(isChosen) ?? ''
    const ratio = name.endsWith('PerSecond') ? product[name]! / bare[name]! : bare[name]! / product[name]!
    return Number.isFinite(ratio) ? [ratio] : []
  })
  const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map(rounded)
  return ratios.length === 0 ? '' : ratios.length === 1 ? `${middle}` : `${middle} (${least} to ${most})`
}

const isCpu = (name: string) => name.startsWith('cpu')
const lines = [...Map.groupBy(results, ({ work }) => work)].map(([work, all]) => {
  const [product, bare] = [all.map((one) => one.product), all.map((one) => one.bare)].map(textOf)
  return `| ${work} | ${ratioText(all, (name) => !isCpu(name))} | ${ratioText(all, isCpu)} | ${product} | ${bare} |`
})
process.stdout
  .write(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} processors (${cpus()[0]?.model.trim()}), Node ${process.versions.node}, ${rounds} rounds.

| Work | Ratio to bare | CPU | Farhand | Bare server |
| --- | --- | --- | --- | --- |
${lines.join('\n')}
`)
process.exit()
