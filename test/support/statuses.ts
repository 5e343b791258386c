/** The status of a call; 200 for one that succeeds. */
export const statusOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    ({ status }: { status: number }) => status,
  )

/** The status of each call. */
export const statusesOf = (calls: readonly Promise<unknown>[]): Promise<number[]> => Promise.all(calls.map(statusOf))
