import { Stage } from './stage.ts'
import type { FromStage, ToStage } from './stage-messages.ts'

/** The worker of one session: its connection, and the canvas that the page gave away. */

const tell = (message: FromStage) => postMessage(message)
let stage: Stage | undefined

addEventListener('message', ({ data }: MessageEvent<ToStage>) => {
  switch (data.do) {
    case 'use':
      stage = new Stage(data.canvas, tell)
      break
    case 'connect':
      stage?.connect(data)
      break
    case 'send':
      stage?.send(data)
      break
    case 'capture':
      stage?.setCapture(data)
      break
    case 'show':
      stage?.show(data.displayId)
      break
    case 'close':
      stage?.close()
      break
    case 'quit':
      stage?.close()
      // The last words leave with the closing of the socket, which a worker that ends at once would cut.
      setTimeout(close, 1000)
      break
  }
})
