import * as t from '../../texts.ts'
import { byteSize } from '../../text/format.ts'

/** Characters of output that may wait for the screen. xterm keeps up to 50 million, then throws. */
export const maxWaiting = 8_000_000

const note = (leftOut: number) => `\r\n\x1b[0;90m${t.terminal.leftOutLine(byteSize(leftOut))}\x1b[39m\r\n`

/**
 * Writes to a screen that draws later. Leaves out what a device sends faster than the screen draws, and says so there:
 * output that waits takes memory, and blocks the page while it is drawn (T35).
 */
export function boundedWriter(
  write: (text: string, onDrawn: () => void, isPast?: boolean) => void,
): (text: string, isPast?: boolean) => void {
  let waiting = 0
  let leftOut = 0
  const draw = (text: string, isPast?: boolean) => {
    waiting += text.length
    const onDrawn = () => {
      waiting -= text.length
      if (waiting === 0) {
        drawNote()
      }
    }
    write(text, onDrawn, isPast)
  }
  const drawNote = () => {
    if (leftOut > 0) {
      const size = leftOut
      leftOut = 0
      draw(note(size))
    }
  }
  return (text, isPast) => {
    if (waiting + text.length > maxWaiting) {
      leftOut += text.length
    } else {
      drawNote()
      draw(text, isPast)
    }
  }
}
