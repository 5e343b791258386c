/** Time after which a wait is printed, before the time limit of the test, which names no wait. */
const longMs = 45_000

/**
 * Polls `read` until it returns a truthy value; a test that waits forever fails by its own time limit. Pauses for longer
 * than a read took: one that asks a server or starts a program would slow down what the test waits for.
 */
export async function until<T>(read: () => T | Promise<T>): Promise<NonNullable<T>> {
  const longWait = new Error(`Waits for more than ${longMs / 1000} s: ${read.toString()}`)
  const notice = setTimeout(() => console.error(longWait), longMs).unref()
  try {
    for (;;) {
      const startedAt = performance.now()
      const value = await read()
      if (value) {
        return value
      }
      const pauseMs = Math.min(Math.max(10, 5 * (performance.now() - startedAt)), 50)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  } finally {
    clearTimeout(notice)
  }
}

const tickMs = 10

/**
 * Resolves with the value of `read` once it has not changed for `turns` timer turns of this process. A server or an
 * agent in this process gets as many turns for a change, however busy the machine is.
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
 * Waits `ms` in short timer turns. On a busy machine the process gets as many turns, so that other parts of it, such as
 * a test's server, have done their work.
 */
export async function pause(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= tickMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, tickMs)))
  }
}

/** Runs `act` after `ms`, for late answers of a simulated peer. Does not keep the test's process alive. */
export function later(ms: number, act: () => void): void {
  setTimeout(act, ms).unref()
}

/**
 * Settles like `work`, or rejects after `ms`. Counts only time in which this process runs, so that a busy machine
 * causes no failure.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>()
  let ticks = Math.ceil(ms / tickMs)
  const timer = setInterval(() => --ticks <= 0 && reject(new Error(`Took longer than ${ms} ms.`)), tickMs)
  return Promise.race([work, limit]).finally(() => clearInterval(timer))
}
