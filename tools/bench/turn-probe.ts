/**
 * Loaded into the measured server with `--import`: from the message `measure` on it measures the longest block of the
 * event loop, and answers the next message with it. Measured inside the process, and in CPU time of the main thread too,
 * because the machine's load is part of an outside measurement.
 */

/** Longest block by wall time and by CPU time, which may be different blocks. */
export interface LongestTurn {
  wallMs: number
  cpuMs: number
}

let isMeasuring = false
let longest: LongestTurn = { wallMs: 0, cpuMs: 0 }

function turn(wall: number, cpu: NodeJS.CpuUsage): void {
  setImmediate(() => {
    const { user, system } = process.threadCpuUsage(cpu)
    longest.wallMs = Math.max(longest.wallMs, performance.now() - wall)
    longest.cpuMs = Math.max(longest.cpuMs, (user + system) / 1000)
    if (isMeasuring) {
      turn(performance.now(), process.threadCpuUsage())
    } else {
      process.send?.(longest)
    }
  })
}

process.on('message', (message) => {
  isMeasuring = message === 'measure'
  if (isMeasuring) {
    longest = { wallMs: 0, cpuMs: 0 }
    turn(performance.now(), process.threadCpuUsage())
    process.send?.('measuring')
  }
})
// Lets the server exit despite the message listener.
process.channel?.unref()
