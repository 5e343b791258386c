/** The value below which `share` of the samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (samples: readonly number[]) => percentile(samples, 0.5)

/** Figures of one work. The first is the main one; rates, whose names end in `perSecond`, are better when larger. */
export type Figures = Record<string, number>

export const percentiles = (times: readonly number[]): Figures => ({
  p50Ms: percentile(times, 0.5),
  p95Ms: percentile(times, 0.95),
  p99Ms: percentile(times, 0.99),
  maxMs: Math.max(...times),
})

/** Milliseconds of `work`. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Milliseconds of each run of `work`, one after the other; `goesOn` decides by the number of runs so far. */
export async function timesOf(
  work: (n: number) => Promise<unknown>,
  goesOn: (count: number) => boolean,
): Promise<number[]> {
  const times: number[] = []
  while (goesOn(times.length)) {
    times.push(await timeOf(() => work(times.length)))
  }
  return times
}

/** Condition that holds for some seconds from now on. */
export function within(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000
  return () => performance.now() < end
}

/** Programs whose processor seconds so far are known. */
export type Programs<Name extends string = string> = Readonly<Record<Name, { cpuSeconds(): Promise<number> }>>

interface Cost<Name extends string> {
  seconds: number
  /** Processor seconds of each program. */
  cpu: Record<Name, number>
}

export async function costOf<Name extends string>(
  programs: Programs<Name>,
  work: () => Promise<unknown>,
): Promise<Cost<Name>> {
  const used = () => Promise.all(Object.values<Programs[string]>(programs).map((one) => one.cpuSeconds()))
  const before = await used()
  const seconds = (await timeOf(work)) / 1000
  const after = await used()
  const cpu = Object.keys(programs).map((name, index) => [name, after[index]! - before[index]!])
  return { seconds, cpu: Object.fromEntries(cpu) as Record<Name, number> }
}

/** Rate at which a server did `count` things, and its processor time for each. */
export const rateOf = (count: number, { seconds, cpu }: Cost<'server'>): Figures => ({
  perSecond: count / seconds,
  cpuMs: (cpu.server * 1000) / count,
})

/** Median of each figure, with four significant digits. */
export function medians(all: readonly Figures[]): Figures {
  const names = Object.keys(all[0] ?? {})
  return Object.fromEntries(
    names.map((name) => [name, Number(median(all.map((one) => one[name] ?? Number.NaN)).toPrecision(4))]),
  )
}

export interface Result {
  work: string
  product: Figures
  bare?: Figures
}

/** Options of the command line. */
type Options = Partial<Record<'agents' | 'servers' | 'seconds' | 'only', string>>

/** A round of a benchmark. */
export class Round {
  readonly results: Result[] = []
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** The number given for an option, or the usual one. */
  number(name: 'agents' | 'servers' | 'seconds', usual: number): number {
    return Number(this.#options[name] ?? usual)
  }

  /** Whether `--only` names this work. */
  wants(work: string): boolean {
    return work.includes(this.#options.only ?? '')
  }

  record(work: string, product: Figures, bare?: Figures): void {
    const all = { work, product: medians([product]) }
    // With the figures: a benchmark that fails later has measured something.
    process.stderr.write(`  ${work}: ${textOf(all.product)}\n`)
    this.results.push(bare ? { ...all, bare } : all)
  }

  /**
   * Measures product and bare server alternately, so that other programs of the machine slow down both; records the
   * medians. A first measurement of each is a warm-up.
   */
  async measure<Side>(
    work: string,
    [product, bare]: readonly [product: Side, bare: Side],
    figuresOf: (side: Side) => Promise<Figures>,
    slices = 3,
  ): Promise<void> {
    if (!this.wants(work)) {
      return
    }
    const figures: Record<'product' | 'bare', Figures[]> = { product: [], bare: [] }
    for (let slice = 0; slice <= slices; slice++) {
      figures.product.push(await figuresOf(product))
      figures.bare.push(await figuresOf(bare))
    }
    this.record(work, medians(figures.product.slice(1)), medians(figures.bare.slice(1)))
  }
}

export const textOf = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
