/**
 * Loaded into the measured server with `--import`: from the message `measure` on it measures the longest block of the
 * event loop, and answers the next message with it. In milliseconds of the main thread's CPU time, because wall time
 * depends on the load of the machine.
 */

let isMeasuring = false
let longestMs = 0

function turn(before: NodeJS.CpuUsage): void {
  setImmediate(() => {
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    if (isMeasuring) {
      turn(process.threadCpuUsage())
    } else {
      process.send?.(longestMs)
    }
  })
}

process.on('message', (message) => {
  isMeasuring = message === 'measure'
  if (isMeasuring) {
    longestMs = 0
    turn(process.threadCpuUsage())
    process.send?.(longestMs)
  }
})
// Lets the server exit despite the message listener.
process.channel?.unref()
