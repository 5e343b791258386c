import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import type { Completions } from './completer.ts'
import type { ShellFacts, TerminalState } from './session-types.ts'
import { createTerminalSession, type TerminalSession } from './session.ts'
import { placeOf } from './terminal-id.ts'
import type { Xterm } from './use-xterm.ts'

const maxTitle = 80

/** The title that a shell gives its window, without what has no look or turns the text around it. */
const plainTitle = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(0, maxTitle)

/** What a terminal shows of itself outside of its screen. */
export interface PaneStatus {
  state: TerminalState
  facts: ShellFacts | undefined
  /** Text from the device. */
  title: string
  hasSelection: boolean
}

interface SessionInput {
  xterm: Xterm | undefined
  device: DeviceResponseDto
  pane: number
  shell: string | undefined
  onStatus: (status: PaneStatus) => void
}

/** Joins a terminal on the device with an xterm, for as long as both are there. */
export function useTerminalSession({ xterm, device, pane, shell, onStatus }: SessionInput) {
  const session = useRef<TerminalSession>(undefined)
  const [state, setState] = useState<TerminalState>({ phase: 'waiting' })
  const [facts, setFacts] = useState<ShellFacts>()
  const [title, setTitle] = useState('')
  const [hasSelection, setHasSelection] = useState(false)
  const [held, setHeld] = useState('')
  const [completions, setCompletions] = useState<Completions>()
  const [isFollowing, setIsFollowing] = useState(false)
  const deviceId = device.id

  useEffect(() => {
    if (!xterm) {
      return
    }
    const { terminal } = xterm
    const created = createTerminalSession({
      deviceId,
      place: placeOf(deviceId, pane),
      shell,
      screen: {
        write: (text) => terminal.write(text),
        reset: () => terminal.reset(),
        size: () => ({ columns: terminal.cols, rows: terminal.rows }),
        follow: xterm.follow,
      },
      onState: setState,
      onShell: (next) => {
        terminal.options.convertEol = next.kind === 'line'
        setFacts(next)
      },
      onHeld: setHeld,
      onCompletions: setCompletions,
      onFollow: setIsFollowing,
    })
    session.current = created
    const listeners = [
      terminal.onData(created.type),
      terminal.onBinary(created.type),
      terminal.onResize(({ cols, rows }) => created.resize({ columns: cols, rows })),
      terminal.onSelectionChange(() => setHasSelection(terminal.hasSelection())),
      terminal.onTitleChange((text) => setTitle(plainTitle(text))),
    ]
    return () => {
      listeners.forEach((listener) => listener.dispose())
      created.stop()
    }
  }, [xterm, deviceId, pane, shell])

  useEffect(() => session.current?.setDeviceOnline(device.isOnline), [xterm, deviceId, device.isOnline])

  const report = useEffectEvent(onStatus)
  useEffect(() => report({ state, facts, title, hasSelection }), [state, facts, title, hasSelection])

  return { session, state, facts, held, completions, isFollowing }
}
