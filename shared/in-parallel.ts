/** Runs `work` on all items, `width` at a time. Rejects with the first error, when the others may still run. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      await work(next.value)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
}
