import { cutText } from '../../../shared/cut-text.ts'
import { useEffect, useMemo } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { useViewerSession } from '../viewer-kit/use-viewer-session.ts'
import { boundedWriter } from './bounded-writer.ts'
import { createTerminalSession } from './session.ts'
import { placeOf } from './terminal-id.ts'
import type { Xterm } from './use-xterm.ts'

const maxTitle = 80

/** Removes characters that are invisible or change the direction of the text around them. */
const plainTitle = (text: string) => cutText(text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ''), maxTitle)

interface SessionInput {
  xterm: Xterm | undefined
  device: DeviceResponseDto
  pane: number
  shell: string | undefined
}

/** Session of an xterm with a terminal at the device, for as long as both exist. */
export function useTerminalSession({ xterm, device, pane, shell }: SessionInput) {
  const deviceId = device.id
  const source = useMemo(() => xterm && { xterm, deviceId, pane, shell }, [xterm, deviceId, pane, shell])
  const running = useViewerSession(
    source,
    (from) => {
      const { terminal, follow, write } = from.xterm
      return createTerminalSession({
        deviceId: from.deviceId,
        place: placeOf(from.deviceId, from.pane),
        shell: from.shell,
        screen: {
          write: boundedWriter(write),
          reset: () => terminal.reset(),
          size: () => ({ columns: terminal.cols, rows: terminal.rows }),
          follow,
          setKind: (kind) => (terminal.options.convertEol = kind === 'line'),
        },
      })
    },
    device.isOnline,
  )
  const session = running?.session
  useEffect(() => {
    if (!xterm || !session) {
      return undefined
    }
    const { terminal, isOldAnswer } = xterm
    const listeners = [
      terminal.onData((data) => isOldAnswer(data) || session.type(data)),
      terminal.onBinary(session.type),
      terminal.onResize(({ cols, rows }) => session.resize({ columns: cols, rows })),
      terminal.onSelectionChange(() => session.store.update({ hasSelection: terminal.hasSelection() })),
      terminal.onTitleChange((text) => session.store.update({ title: plainTitle(text) })),
    ]
    return () => listeners.forEach((listener) => listener.dispose())
  }, [xterm, session])
  return running
}
