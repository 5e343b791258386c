/**
 * Loaded into the measured server with `--import`: tells its parent how long one turn of the event loop was at most. From
 * outside, a busy machine would be measured together with the server; here the processor time of the main thread is
 * told as well.
 */

/** The longest turn so far; processor time apart, because the longest of the one need not be that of the other. */
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
// What listens must not keep the server from ending.
process.channel?.unref()
