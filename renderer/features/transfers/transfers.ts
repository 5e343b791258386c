import { onDeviceUpdate, onLiveState } from '../../api/hubs.ts'
import { isStartingAfresh } from '../../api/start-afresh.ts'
import { storeUploads } from './kept-uploads.ts'
import { TransferQueue } from './transfer-queue.ts'

/** Transfers of this window; they continue while other pages are shown. */
export const transfers = new TransferQueue({
  now: () => performance.now(),
  after: (ms, work) => void setTimeout(work, ms),
})

/** Calls `work` once when all of these transfers are done; never if one of them failed for good or was canceled. */
export function onceDone(ids: readonly number[], work: () => void): void {
  let areListed = false
  const stop = transfers.onChange(() => {
    const found = transfers.list().filter(({ id }) => ids.includes(id))
    const isDone = found.length === ids.length && found.every(({ state }) => state === 'done')
    areListed ||= found.length === ids.length
    if (isDone || (areListed && found.length < ids.length) || found.some(({ state }) => state === 'canceled')) {
      stop()
    }
    if (isDone) {
      work()
    }
  })
}

addEventListener('pagehide', storeUploads)
addEventListener('beforeunload', (event) => {
  if (transfers.isBusy() && !isStartingAfresh()) {
    event.preventDefault()
  }
})

onLiveState(({ state }) => {
  if (state === 'live') {
    transfers.resume()
  }
})
onDeviceUpdate(({ id, isOnline }) => {
  if (isOnline) {
    transfers.resume(id)
  }
})
