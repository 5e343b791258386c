/** `npm run bench -- NAME`: benchmarks of the table on the built server, in rounds; prints a table. */
import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { answerHelp, readOptions } from '../help.mjs'
import { startSharedPostgres } from '../simulate/database.ts'
import { median, medians, ratiosOf, rounded, Round, type Figures, type Result } from './measure.ts'
import { benches } from './table.ts'

const withBaseline = Object.keys(benches).filter((name) => benches[name]?.bare !== undefined)

answerHelp(`npm run bench -- NAME [--rounds N] [--only TEXT] [--agents N] [--devices N] [--servers N] [--seconds N]
       npm run bench -- all [--rounds N] [--only NAME,...]
       Either: [--postgres] [--keep FILE] [--compare FILE]

One benchmark on the built server, or all that have a bare server as their baseline; prints a table in Markdown.

${Object.entries(benches)
  .map(([name, { measures, bare }]) => `  ${name.padEnd(17)} ${measures}${bare ? `; bare: ${bare}` : ''}`)
  .join('\n')}

  --rounds N        rounds; 3 for all, otherwise 1
  --only TEXT       only the work whose name contains the text
  --postgres        the data in a PostgreSQL of its own, as initdb sets it up; its processor time counts
  --keep FILE       writes the ratios as JSON
  --compare FILE    compares with ratios that were kept; status 1 if one fell by more than its noise`)

const { positionals, values } = readOptions({
  allowPositionals: true,
  options: {
    agents: { type: 'string' },
    devices: { type: 'string' },
    servers: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    postgres: { type: 'boolean' },
    compare: { type: 'string' },
    keep: { type: 'string' },
  },
})

/** Ratio of several rounds. */
interface Kept {
  median: number
  least: number
  most: number
}

interface Report {
  date: string
  machine: string
  node: string
  rounds: number
  ratios: Record<string, Kept>
}

const keptOf = (ratios: readonly number[]): Kept => ({
  median: rounded(median(ratios)),
  least: rounded(Math.min(...ratios)),
  most: rounded(Math.max(...ratios)),
})

/** Ratios whose best round is below the worst round of the kept file: more than their noise. */
function fallen(before: Report, now: Report) {
  return Object.entries(before.ratios).flatMap(([name, then]) => {
    const today = now.ratios[name]
    return today !== undefined && today.most < then.least ? [{ name, before: then, now: today }] : []
  })
}

const [name = ''] = positionals
const isAll = name === 'all'
const names = isAll ? (values.only?.split(',') ?? withBaseline) : [name]
if (!names.every((one) => Object.hasOwn(benches, one))) {
  process.stderr.write(`Name one of: all, ${Object.keys(benches).join(', ')}.\n`)
  process.exit(2)
}
const rounds = Number(values.rounds ?? (isAll ? 3 : 1))
const results: Result[] = []
for (const signal of ['SIGINT', 'SIGTERM']) {
  // Runs what ends with this program.
  process.once(signal, () => process.exit(1))
}
if (values.postgres) {
  await startSharedPostgres()
}
for (let round = 1; round <= rounds; round++) {
  for (const one of names) {
    process.stderr.write(`${one}, round ${round} of ${rounds}\n`)
    const run = await benches[one]!.load()
    const measured = new Round(isAll ? {} : values)
    await run(measured)
    results.push(...measured.results)
  }
}

const ratios = Map.groupBy(
  results.flatMap((result) => Object.entries(ratiosOf(result))),
  ([work]) => work,
)
const report: Report = {
  date: new Date().toISOString(),
  machine: `${cpus().length} processors (${cpus()[0]?.model.trim()})`,
  node: process.versions.node,
  rounds,
  ratios: Object.fromEntries([...ratios].map(([work, all]) => [work, keptOf(all.map(([, ratio]) => ratio))])),
}
if (values.keep !== undefined) {
  await writeFile(values.keep, `${JSON.stringify(report, null, 2)}\n`)
}

const textOf = (all: readonly (Figures | undefined)[]) =>
  Object.entries(medians(all.filter((figures) => figures !== undefined)))
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
const ratioText = (work: string) => {
  const { median: middle, least, most } = report.ratios[work] ?? {}
  return middle === undefined ? '' : rounds === 1 ? middle : `${middle} (${least} to ${most})`
}
const lines = [...Map.groupBy(results, ({ work }) => work)].map(([work, all]) => {
  const [product, bare] = [all.map((one) => one.product), all.map((one) => one.bare)].map(textOf)
  return `| ${work} | ${ratioText(work)} | ${ratioText(`${work}, CPU`)} | ${product} | ${bare} |`
})
process.stdout.write(`${report.date.slice(0, 10)}, ${report.machine}, Node ${report.node}, ${rounds} rounds.

| Work | Ratio to bare | CPU | Farhand | Bare server |
| --- | --- | --- | --- | --- |
${lines.join('\n')}
`)

const fell = values.compare === undefined ? [] : fallen(JSON.parse(await readFile(values.compare, 'utf8')), report)
for (const { name: work, before, now } of fell) {
  process.stdout.write(`Fell: ${work}, ${before.median} (at least ${before.least}) before, ${now.median} now.\n`)
}
process.exit(fell.length > 0 ? 1 : 0)
