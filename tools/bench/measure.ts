/** The value below which `share` of the sorted samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (samples: readonly number[]) => percentile(samples, 0.5)

/** Rounds to two decimals. */
export const rounded = (value: number) => Math.round(value * 100) / 100

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Figures of one work. The first is the main one; names that end in `PerSecond` are better when larger. */
export type Figures = Record<string, number>

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

/** Ratios of the main figure and of the processor time to the bare server's. Above 1 is better than bare. */
export function ratiosOf({ work, product, bare }: Result): Record<string, number> {
  const ratio = (name: string | undefined) =>
    bare && name !== undefined && name in bare
      ? name.endsWith('PerSecond')
        ? product[name]! / bare[name]!
        : bare[name]! / product[name]!
      : undefined
  const names = Object.keys(product)
  const found = [
    [work, ratio(names[0])],
    [`${work}, CPU`, ratio(names.slice(1).find((name) => name.startsWith('cpu')))],
  ].filter((pair): pair is [string, number] => Number.isFinite(pair[1]))
  return Object.fromEntries(found)
}

/** Options of the command line. */
export interface Options {
  agents?: string | undefined
  devices?: string | undefined
  servers?: string | undefined
  seconds?: string | undefined
  only?: string | undefined
}

/** A round of a benchmark. */
export class Round {
  readonly results: Result[] = []
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** The number given for an option, or the usual one. */
  number(name: 'agents' | 'devices' | 'servers' | 'seconds', usual: number): number {
    return Number(this.#options[name] ?? usual)
  }

  /** Several numbers, separated by commas. */
  numbers(name: 'devices', usual: readonly number[]): readonly number[] {
    return this.#options[name]?.split(',').map(Number) ?? usual
  }

  /** Whether `--only` names this work. */
  wants(work: string): boolean {
    return work.includes(this.#options.only ?? '')
  }

  record(work: string, product: Figures, bare?: Figures): void {
    const all = { work, product: medians([product]) }
    // With the figures: a benchmark that fails later has measured something.
    const figures = Object.entries(all.product).map(([name, value]) => `${name} ${value}`)
    process.stderr.write(`  ${work}: ${figures.join(', ')}\n`)
    this.results.push(bare ? { ...all, bare: medians([bare]) } : all)
  }

  /**
   * Measures product and bare server alternately, so that other programs of the machine slow down both; records the
   * medians. A first measurement of each is a warm-up.
   */
  async measure(
    work: string,
    product: () => Promise<Figures>,
    bare: () => Promise<Figures>,
    slices = 3,
  ): Promise<void> {
    const figures: Record<'product' | 'bare', Figures[]> = { product: [], bare: [] }
    for (let slice = 0; slice <= slices; slice++) {
      figures.product.push(await product())
      figures.bare.push(await bare())
    }
    this.record(work, medians(figures.product.slice(1)), medians(figures.bare.slice(1)))
  }
}
