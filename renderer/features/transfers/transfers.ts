import { onDeviceUpdate, onLiveState } from '../../api/hubs.ts'
import { storeUploads } from './kept-uploads.ts'
import { TransferQueue } from './transfer-queue.ts'

/** Everything that this window sends and fetches. It goes on while other pages are on screen. */
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
    transfers.goOn()
  }
})
onDeviceUpdate(({ id, isOnline }) => {
  if (isOnline) {
    transfers.goOn(id)
  }
})
