/**
 * Loaded into the measured server with `--import`: reports the longest block of the event loop to its parent. Measured
 * inside the process, because an outside measurement would include the machine's load; reports CPU time of the main
 * thread as well.
 */

/** Longest block by wall time and by CPU time, which may be different blocks. */
export interface LongestTurn {
  wallMs: number
  cpuMs: number
}

let isMeasuring = false

function measure(): void {
  const longest: LongestTurn = { wallMs: 0, cpuMs: 0 }
  let wall = performance.now()
  let cpu = process.threadCpuUsage()
  const turn = () => {
    const now = performance.now()
    const { user, system } = process.threadCpuUsage(cpu)
    longest.wallMs = Math.max(longest.wallMs, now - wall)
    longest.cpuMs = Math.max(longest.cpuMs, (user + system) / 1000)
    if (!isMeasuring) {
      process.send?.(longest)
      return
    }
    wall = performance.now()
    cpu = process.threadCpuUsage()
    setImmediate(turn)
  }
  setImmediate(turn)
}

process.on('message', (message) => {
  isMeasuring = message === 'measure'
  if (isMeasuring) {
    measure()
    process.send?.('measuring')
  }
})
// Lets the server exit despite the message listener.
process.channel?.unref()
