import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Size from which V8 no longer enlarges the space of new objects; unlimited, it grows to 128 MB under load. */
const maxBytes = 32 * 1024 * 1024
/** V8 doubles the space only after as much has survived, which takes longer. */
const checkMs = 50

/**
 * Keeps the space of new objects small. V8 doubles it while much survives, as in a flood of connections, and returns the
 * memory late. The limit of V8 itself can only be set on the command line.
 */
export function limitYoungGeneration(): void {
  let factor = 2
  setInterval(() => {
    const { space_size: bytes = 0 } =
      getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space') ?? {}
    const wanted = bytes >= maxBytes ? 1 : 2
    if (wanted !== factor) {
      factor = wanted
      setFlagsFromString(`--semi-space-growth-factor=${factor}`)
    }
  }, checkMs).unref()
}
