import { onDeviceUpdate, onLiveState } from '../../api/hubs.ts'
import { storeUploads } from './kept-uploads.ts'
import { TransferQueue } from './transfer-queue.ts'

/** Transfers of this window; they continue while other pages are shown. */
export const transfers = new TransferQueue({
  now: () => performance.now(),
  after: (ms, work) => void setTimeout(work, ms),
})

addEventListener('pagehide', storeUploads)
addEventListener('beforeunload', (event) => {
  if (transfers.isBusy()) {
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
