import { Socket } from 'node:net'

/**
 * Loaded with `--import`: ends this program when its parent ends, even by SIGKILL, and closes file descriptor 3, a pipe.
 * A program that ends by itself is not kept alive.
 */
new Socket({ fd: 3 })
  .on('error', () => {})
  .on('close', () => process.kill(process.pid, 'SIGKILL'))
  .resume()
  .unref()
