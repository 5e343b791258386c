import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { files } from './files.ts'
import { heartbeats } from './heartbeats.ts'
import { median, rounded } from './measure.ts'
import { memory } from './memory.ts'
import { relay } from './relay.ts'
import { rest } from './rest.ts'
import { start } from './start.ts'
import { tls } from './tls.ts'
import { writes } from './writes.ts'

/** Ratios to a bare server, by name. A larger one is better. */
type Ratios = Record<string, number>

const byCase = (results: readonly { case: string; ratioToBare: number; ratioOfCpu: number }[]): Ratios =>
  Object.fromEntries(
    results.flatMap((result) => [
      [result.case, result.ratioToBare],
      [`${result.case}, CPU`, result.ratioOfCpu],
    ]),
  )

/** Benchmarks with a bare server beside ours. */
const benchmarks: Record<string, () => Promise<Ratios>> = {
  start: async () => ({ 'start until the first answer': 1 / (await start()).ratioToBare }),
  rest: async () => byCase((await rest({})).results),
  writes: async () => byCase((await writes({})).results),
  async heartbeats() {
    const { closedLoop } = await heartbeats({ agents: '100', seconds: '1' })
    return { 'signed updates': closedLoop.ratioToBare }
  },
  async files() {
    const { ratioDown, ratioUp } = await files()
    return { 'file from a device': ratioDown, 'file to a device': ratioUp }
  },
  async relay() {
    const { stream, roundTrip1KiB } = await relay()
    return {
      'relay, 64 KiB': stream.ratioToBare.mbPerSecond,
      'relay, 64 KiB, CPU': 1 / stream.ratioToBare.cpuSecondsPerGb,
      'relay, round trip of 1 KiB': roundTrip1KiB.bare.p50Ms / roundTrip1KiB.product.p50Ms,
    }
  },
  async tls() {
    const { tls: ours, bareTls, updatesToBareTls } = await tls({})
    return {
      'TLS connects': ours.first.connectsPerSecond / bareTls.first.connectsPerSecond,
      'TLS connects, resumed': ours.again.connectsPerSecond / bareTls.again.connectsPerSecond,
      'TLS memory of an agent': bareTls.first.memoryKbPerAgent / ours.first.memoryKbPerAgent,
      'signed updates over TLS': updatesToBareTls,
    }
  },
  async memory() {
    const { ratiosToBare } = await memory({})
    return Object.fromEntries(Object.entries(ratiosToBare).map(([name, ratio]) => [`memory, ${name}`, 1 / ratio]))
  },
}

/** Ratio of several rounds. */
interface Kept {
  median: number
  least: number
  most: number
}

interface Figures {
  date: string
  machine: string
  node: string
  rounds: number
  ratios: Record<string, Kept>
}

const keptOf = (values: readonly number[]): Kept => ({
  median: rounded(median(values)),
  least: rounded(Math.min(...values)),
  most: rounded(Math.max(...values)),
})

/** Ratios whose best round is below the worst round of the kept file: more than their noise. */
function fallen(before: Figures, now: Figures) {
  return Object.entries(before.ratios).flatMap(([name, then]) => {
    const today = now.ratios[name]
    return today !== undefined && today.most < then.least ? [{ name, before: then, now: today }] : []
  })
}

const beginning = '<!-- ratios -->'
const ending = '<!-- end of ratios -->'

/** Replaces the table in a document. */
async function document(path: string, { date, machine, node, rounds, ratios }: Figures) {
  const rows = Object.entries(ratios).map(
    ([name, { median: middle, least, most }]) => `| ${name} | ${middle} | ${least} to ${most} |`,
  )
  const text = [
    `${date.slice(0, 10)}, ${machine}, Node ${node}, ${rounds} rounds.`,
    ['| Work | Ratio to bare | Rounds |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n')
  const before = await readFile(path, 'utf8')
  const [head, rest] = before.split(beginning)
  const tail = rest?.split(ending)[1]
  if (head === undefined || tail === undefined) {
    throw new Error(`${path} has no table between "${beginning}" and "${ending}".`)
  }
  await writeFile(path, `${head}${beginning}\n\n${text}\n\n${ending}${tail}`)
}

interface Options {
  only?: string
  rounds?: string
  compare?: string
  keep?: string
  document?: string
}

/**
 * Runs every benchmark that has a bare baseline, `--rounds 3` times, or those named by `--only rest,writes`. `--keep FILE`
 * writes the ratios; `--compare FILE` compares with such a file, and returns what fell by more than its noise; `--document
 * FILE` fills the table of docs/performance.md.
 */
export async function all(options: Options) {
  const rounds = Number(options.rounds ?? 3)
  const names = options.only?.split(',') ?? Object.keys(benchmarks)
  const values = new Map<string, number[]>()
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      process.stderr.write(`${name}, round ${round} of ${rounds}\n`)
      const run = benchmarks[name]
      if (!run) {
        throw new Error(`No benchmark of ratios is named ${name}: ${Object.keys(benchmarks).join(', ')}.`)
      }
      for (const [work, ratio] of Object.entries(await run())) {
        values.set(work, [...(values.get(work) ?? []), ratio])
      }
    }
  }
  const [processor] = cpus()
  const figures: Figures = {
    date: new Date().toISOString(),
    machine: `${cpus().length} processors (${processor?.model.trim()})`,
    node: process.versions.node,
    rounds,
    ratios: Object.fromEntries([...values].map(([work, ratios]) => [work, keptOf(ratios)])),
  }
  if (options.keep !== undefined) {
    await writeFile(options.keep, `${JSON.stringify(figures, null, 2)}\n`)
  }
  if (options.document !== undefined) {
    await document(options.document, figures)
  }
  if (options.compare === undefined) {
    return figures
  }
  const before = JSON.parse(await readFile(options.compare, 'utf8')) as Figures
  const fell = fallen(before, figures)
  process.exitCode = fell.length > 0 ? 1 : 0
  return { ...figures, comparedWith: before.date, fell }
}
