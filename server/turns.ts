/** Runs pieces of work one after another, in the order in which they are asked for. A failure stops nobody else. */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}
