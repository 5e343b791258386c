/** Status of a call; 200 for a success. */
export const statusOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    ({ status }: { status: number }) => status,
  )

export const statusesOf = (calls: readonly Promise<unknown>[]): Promise<number[]> => Promise.all(calls.map(statusOf))
