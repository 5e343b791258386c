/**
 * Loaded into a server with `--import`: answers any message with what it holds after collecting garbage. Pages that hold
 * nothing any more go back to the system, or memory would be that of the busiest moment.
 */
process.on('message', () => {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  const resources = process.getActiveResourcesInfo()
  const { heapUsed, external } = process.memoryUsage()
  process.send?.({
    heapMb: heapUsed / 1024 / 1024,
    liveMb: (heapUsed + external) / 1024 / 1024,
    timers: resources.filter((name) => name === 'Timeout').length,
    sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
  })
})
// Waiting for messages shall not keep a server alive that has stopped.
process.channel?.unref()
