import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Size above which V8 does not enlarge the space of new objects; without a limit, it grows to 128 MB under load. */
const maxNewBytes = 32 * 1024 * 1024
/** Interval of checks. V8 doubles the space only after that many bytes have survived, which takes longer. */
const checkMs = 50
/** Growth of the old objects until the next collection; by default up to 300 percent. */
const oldGrowthPercent = 50

/**
 * Limits the garbage that V8 lets accumulate. In a flood of connections much survives the quick collections, so V8 doubles
 * the space of new objects and returns the memory late. The limit of V8 itself can only be set on the command line.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${oldGrowthPercent}`)
  let factor = 2
  setInterval(() => {
    const { space_size: bytes = 0 } =
      getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space') ?? {}
    const wanted = bytes >= maxNewBytes ? 1 : 2
    if (wanted !== factor) {
      factor = wanted
      setFlagsFromString(`--semi-space-growth-factor=${factor}`)
    }
  }, checkMs).unref()
}
