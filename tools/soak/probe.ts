/**
 * Loaded into a server with `--import`: answers any message with its resource use after garbage collection. Unused
 * pages are returned to the system, so that memory is not that of the peak.
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
// Lets a stopped server exit despite the message listener.
process.channel?.unref()
