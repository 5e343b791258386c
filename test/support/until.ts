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

/** Settles as `work` does, or rejects after `ms`. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`Took longer than ${ms} ms.`)), ms)
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}
