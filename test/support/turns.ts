/** Longest CPU time of an event loop turn in milliseconds, until `isOver`. */
export async function longestTurnMs(isOver: () => boolean): Promise<number> {
  let longest = 0
  while (!isOver()) {
    const { user, system } = process.threadCpuUsage()
    await new Promise((resolve) => setImmediate(resolve))
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user + now.system - user - system) / 1000)
  }
  return longest
}
