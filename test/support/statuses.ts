/** The status of each call; 200 for those that succeed. */
export const statusesOf = (calls: readonly Promise<unknown>[]): Promise<number[]> =>
  Promise.all(
    calls.map((call) =>
      call.then(
        () => 200,
        ({ status }: { status: number }) => status,
      ),
    ),
  )
