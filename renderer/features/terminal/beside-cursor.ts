import type { CSSProperties } from 'react'
import type { Xterm } from './xterm.ts'

/** Position below the cursor, or above in the lower half of the screen, within the edges. `width` in pixels. */
export function besideCursor({ terminal }: Xterm, width: number): CSSProperties {
  const screen = terminal.element?.querySelector('.xterm-screen')
  const { cursorX, cursorY } = terminal.buffer.active
  const cell = {
    width: (screen?.clientWidth ?? 0) / terminal.cols,
    height: (screen?.clientHeight ?? 0) / terminal.rows,
  }
  const side =
    cursorY < terminal.rows / 2
      ? { top: (cursorY + 1) * cell.height + 4 }
      : { bottom: (terminal.rows - cursorY) * cell.height + 4 }
  return { ...side, left: `clamp(8px, ${Math.round(cursorX * cell.width)}px, max(8px, 100% - ${width + 8}px))` }
}
