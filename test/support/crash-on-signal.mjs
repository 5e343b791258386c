/** Loaded into a server with `--import`: an error that nobody catches, on SIGUSR2. */
process.on('SIGUSR2', () => {
  void Promise.reject(new Error('a planned failure'))
})
