import { Stage } from './stage.ts'
import type { FromStage, ToStage } from './stage-messages.ts'

/** Worker of one session: its connection and the transferred canvas. */

/** Posts messages together, so that the page renders once for all. */
const post = (...messages: FromStage[]) => postMessage(messages)
let stage: Stage | undefined

addEventListener('message', ({ data }: MessageEvent<ToStage>) => {
  switch (data.do) {
    case 'use':
      stage = new Stage(data.canvas, post)
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
    case 'shoot':
      void stage?.shoot()
      break
    case 'send-picture':
    case 'request-picture':
      stage?.exchangeClipboard(data)
      break
    case 'whole-pictures':
      stage?.setWholePictures(data.isOn)
      break
    case 'close':
      stage?.close()
      break
    case 'quit':
      stage?.close()
      // Terminating at once would cut the close frame off.
      setTimeout(close, 1000)
      break
  }
})
