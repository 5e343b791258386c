import { Alert, Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react'
import type { DeviceResponseDto } from '../../../../shared/dtos/device.ts'
import { copyText } from '../../../components/clipboard.ts'
import { statusText } from '../../../components/status.tsx'
import { en as t } from '../../../strings/en.ts'
import { FindBar } from './find-bar.tsx'
import { HeldBox } from './held-box.tsx'
import { createTerminalSession, type TerminalKind, type TerminalSession, type TerminalState } from './session.ts'
import { placeOf } from './terminal-id.ts'
import { createKeyHandler } from './terminal-keys.ts'
import { TerminalToolbar } from './terminal-toolbar.tsx'
import classes from './terminal.module.css'
import { useXterm } from './use-xterm.ts'

export const firstFontSize = 14
const fontSizes = { min: 8, max: 32 }
const maxTitle = 80
const hintMs = 5_000

interface TerminalPaneProps {
  device: DeviceResponseDto
  tab: number
  /** It is the one on screen. */
  isActive: boolean
  /** The tabs, for its toolbar. */
  strip: ReactNode
  fontSize: number
  isFullScreen: boolean
  onFontSize: (change: (size: number) => number) => void
  onFullScreen: () => void
  onTitle: (title: string) => void
  onSession: (session: TerminalSession) => void
}

/** One terminal with its toolbar. */
export function TerminalPane(props: TerminalPaneProps) {
  const { device, tab, isActive, fontSize, isFullScreen, onFontSize } = props
  const frame = useRef<HTMLDivElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const session = useRef<TerminalSession>(undefined)
  const xterm = useXterm(place, t.terminal.label(device.name), fontSize)
  const [state, setState] = useState<TerminalState>({ phase: 'waiting' })
  const [kind, setKind] = useState<TerminalKind>()
  const [held, setHeld] = useState('')
  const [isPasteHinted, setIsPasteHinted] = useState(false)
  const [isFinding, setIsFinding] = useState(false)
  const [hasSelection, setHasSelection] = useState(false)
  const deviceId = device.id
  const setTitle = useEffectEvent(props.onTitle)
  const announce = useEffectEvent(props.onSession)

  useEffect(() => {
    if (!xterm) {
      return
    }
    const { terminal } = xterm
    /** What the shell calls its window. */
    let title = ''
    const created = createTerminalSession({
      deviceId,
      place: placeOf(deviceId, tab),
      screen: {
        write: (text) => terminal.write(text),
        reset: () => terminal.reset(),
        size: () => ({ columns: terminal.cols, rows: terminal.rows }),
      },
      onState: setState,
      onKind: (next, shell) => {
        terminal.options.convertEol = next === 'line'
        setKind(next)
        setTitle(title || (shell ?? ''))
      },
      onHeld: setHeld,
    })
    session.current = created
    announce(created)
    const listeners = [
      terminal.onData(created.type),
      terminal.onBinary(created.type),
      terminal.onResize(({ cols, rows }) => created.resize({ columns: cols, rows })),
      terminal.onSelectionChange(() => setHasSelection(terminal.hasSelection())),
      terminal.onTitleChange((text) => {
        title = text.slice(0, maxTitle)
        setTitle(title)
      }),
    ]
    return () => {
      listeners.forEach((listener) => listener.dispose())
      created.stop()
    }
  }, [xterm, deviceId, tab])

  useEffect(() => session.current?.setDeviceOnline(device.isOnline), [xterm, deviceId, device.isOnline])

  useEffect(() => {
    if (isActive) {
      xterm?.terminal.focus()
    }
  }, [xterm, isActive])

  useEffect(() => {
    const timer = isPasteHinted ? setTimeout(() => setIsPasteHinted(false), hintMs) : undefined
    return () => clearTimeout(timer)
  }, [isPasteHinted])

  const focus = () => xterm?.terminal.focus()
  const changeFontSize = (change: number) =>
    onFontSize((size) => Math.min(fontSizes.max, Math.max(fontSizes.min, size + change)))
  const copy = async () => {
    if (xterm?.terminal.hasSelection()) {
      await copyText(xterm.terminal.getSelection())
      focus()
    }
  }
  const paste = async () => {
    try {
      xterm?.terminal.paste(await navigator.clipboard.readText())
    } catch {
      notifications.show({ message: t.terminal.pasteRefused })
    }
    focus()
  }
  const sendHeld = () => {
    session.current?.sendHeld()
    focus()
  }
  const dropHeld = () => {
    session.current?.dropHeld()
    focus()
  }
  const closeFind = () => {
    setIsFinding(false)
    focus()
  }

  useEffect(() => {
    xterm?.terminal.attachCustomKeyEventHandler(
      createKeyHandler({
        copy: () => void copy(),
        find: () => setIsFinding(true),
        toggleFullScreen: props.onFullScreen,
        leaveToToolbar: () => frame.current?.querySelector<HTMLElement>('[role="toolbar"] button:enabled')?.focus(),
        held: held === '' ? undefined : { send: sendHeld, drop: dropHeld },
        isPasteKey: kind === 'line',
        literalPaste: () => setIsPasteHinted(true),
        changeFontSize,
        resetFontSize: () => onFontSize(() => firstFontSize),
      }),
    )
  })

  const isOffline = !device.isOnline && state.phase !== 'ended'
  return (
    <div ref={frame} className={classes.pane} data-active={isActive || undefined}>
      <TerminalToolbar
        state={state}
        kind={kind}
        strip={props.strip}
        isFullScreen={isFullScreen}
        hasSelection={hasSelection}
        onCopy={() => void copy()}
        onPaste={() => void paste()}
        onClear={() => xterm?.terminal.clear()}
        onFind={() => setIsFinding(true)}
        onFontSize={changeFontSize}
        onFullScreen={props.onFullScreen}
        onLeave={focus}
      />
      {(isOffline || state.phase === 'failed') && (
        <Alert
          className={classes.notice}
          color={isOffline ? 'warning' : 'danger'}
          icon={<IconPlugConnectedX size={18} />}
          title={isOffline ? statusText(device) : t.terminal.failed}
          role="alert"
        >
          {isOffline
            ? state.phase === 'waiting'
              ? t.terminal.offlineHint
              : t.terminal.lostHint
            : state.phase === 'failed' && state.reason}
          {!isOffline && (
            <Button variant="default" size="xs" ml="sm" onClick={() => session.current?.retry()}>
              {t.terminal.retry}
            </Button>
          )}
        </Alert>
      )}
      <div className={classes.screen} data-away={['lost', 'waiting', 'opening'].includes(state.phase) || undefined}>
        <div ref={place} className={classes.place} data-testid="terminal" />
        {isFinding && xterm && <FindBar search={xterm.search} onClose={closeFind} />}
        {held !== '' && xterm && (
          <HeldBox text={held} xterm={xterm} isReady={state.phase === 'open'} onSend={sendHeld} onDrop={dropHeld} />
        )}
        {isPasteHinted && (
          <p className={`${classes.hint} small`} role="status">
            {t.terminal.pasteHint}
          </p>
        )}
      </div>
    </div>
  )
}
