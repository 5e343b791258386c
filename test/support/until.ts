/** Waits until `read` gives something truthy; a test that waits for ever fails by its own time limit. */
export async function until<T>(read: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const value = await read()
    if (value) {
      return value
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const tickMs = 10

/**
 * Resolves with what `read` returns once that has not changed for `turns` turns of this process: a server or an agent in
 * the same process gets as many turns to change it, however busy the machine is.
 */
export async function steady<T>(read: () => T, turns = 20): Promise<T> {
  let value = read()
  for (let unchanged = 0; unchanged < turns; unchanged++) {
    await new Promise((resolve) => setTimeout(resolve, tickMs))
    const next = read()
    if (next !== value) {
      value = next
      unchanged = -1
    }
  }
  return value
}

/**
 * Lets `ms` pass in short turns. A machine that is too busy to run this process at once gives it as many of them: what
 * its other parts, the server of a test among them, had to do meanwhile has then been done.
 */
export async function pause(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= tickMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, tickMs)))
  }
}

/** Runs `act` after `ms`: a peer that a test plays answers late. Ends with the test's process. */
export function later(ms: number, act: () => void): void {
  setTimeout(act, ms).unref()
}

/**
 * Settles as `work` does, or rejects after `ms` of this process: on a machine that is too busy to let it run, the time
 * in which it could not is not counted.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>()
  let ticks = Math.ceil(ms / tickMs)
  const timer = setInterval(() => --ticks <= 0 && reject(new Error(`Took longer than ${ms} ms.`)), tickMs)
  return Promise.race([work, limit]).finally(() => clearInterval(timer))
}
