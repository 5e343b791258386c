import { deferred } from '../../../shared/deferred.ts'
import type { Handle, Out } from './library.ts'
import { processthreadsapi } from './win32/processthreadsapi.ts'
import { signaled, synchapi } from './win32/synchapi.ts'

const lookEveryMs = 500

/**
 * Keeps the handle open until the process has ended, so that Windows does not reuse the process id. `isAwaited` keeps
 * this program running until then.
 */
export async function superviseProcess(
  handle: Handle,
  close: (handle: Handle) => boolean,
  isAwaited: boolean,
): Promise<{ ended: Promise<number>; kill: () => void }> {
  const [{ waitForSingleObject }, { getExitCodeProcess, terminateProcess }] = await Promise.all([
    synchapi(),
    processthreadsapi(),
  ])
  const { promise: ended, resolve } = deferred<number>()
  let isOver = false
  const looking = setInterval(() => {
    if (waitForSingleObject(handle, 0) === signaled) {
      const status: Out<number> = [0]
      getExitCodeProcess(handle, status)
      isOver = true
      clearInterval(looking)
      close(handle)
      resolve(status[0])
    }
  }, lookEveryMs)
  if (!isAwaited) {
    looking.unref()
  }
  return { ended, kill: () => void (isOver || terminateProcess(handle, 1)) }
}
