import { Alert, Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { copyText } from '../../../components/clipboard.ts'
import { statusText } from '../../../components/status.tsx'
import { en as t } from '../../../strings/en.ts'
import { usePreference } from '../../../styles/preferences.ts'
import { usePageDevice } from '../device-page.tsx'
import { FindBar } from './find-bar.tsx'
import { createTerminalSession, type TerminalKind, type TerminalSession, type TerminalState } from './session.ts'
import { createKeyHandler } from './terminal-keys.ts'
import { TerminalToolbar } from './terminal-toolbar.tsx'
import classes from './terminal.module.css'
import { useFullScreen } from './use-full-screen.ts'
import { useXterm } from './use-xterm.ts'

const firstFontSize = 14
const fontSizes = { min: 8, max: 32 }
const maxTitle = 80

/** A terminal on the device of the page. */
export function Component() {
  const device = usePageDevice()
  const frame = useRef<HTMLDivElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const session = useRef<TerminalSession>(undefined)
  const [fontSize, setFontSize] = usePreference('terminal.font-size', firstFontSize)
  const xterm = useXterm(place, t.terminal.label(device.name), fontSize)
  const [isFullScreen, toggleFullScreen] = useFullScreen(frame)
  const [state, setState] = useState<TerminalState>({ phase: 'waiting' })
  const [kind, setKind] = useState<TerminalKind>()
  const [title, setTitle] = useState('')
  const [isFinding, setIsFinding] = useState(false)
  const [hasSelection, setHasSelection] = useState(false)
  const deviceId = device.id

  useEffect(() => {
    if (!xterm) {
      return
    }
    const { terminal } = xterm
    const created = createTerminalSession({
      deviceId,
      screen: {
        write: (text) => terminal.write(text),
        reset: () => terminal.reset(),
        size: () => ({ columns: terminal.cols, rows: terminal.rows }),
      },
      onState: setState,
      onKind: (next, shell) => {
        terminal.options.convertEol = next === 'line'
        setKind(next)
        setTitle(shell ?? '')
      },
    })
    session.current = created
    const listeners = [
      terminal.onData(created.type),
      terminal.onBinary(created.type),
      terminal.onResize(({ cols, rows }) => created.resize({ columns: cols, rows })),
      terminal.onSelectionChange(() => setHasSelection(terminal.hasSelection())),
      terminal.onTitleChange((text) => setTitle(text.slice(0, maxTitle))),
    ]
    terminal.focus()
    return () => {
      listeners.forEach((listener) => listener.dispose())
      created.stop()
    }
  }, [xterm, deviceId])

  useEffect(() => session.current?.setDeviceOnline(device.isOnline), [xterm, deviceId, device.isOnline])

  const focus = () => xterm?.terminal.focus()
  const changeFontSize = (change: number) =>
    setFontSize((size) => Math.min(fontSizes.max, Math.max(fontSizes.min, size + change)))
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
  const closeFind = () => {
    setIsFinding(false)
    focus()
  }

  useEffect(() => {
    xterm?.terminal.attachCustomKeyEventHandler(
      createKeyHandler({
        copy: () => void copy(),
        find: () => setIsFinding(true),
        toggleFullScreen,
        leaveToToolbar: () => frame.current?.querySelector<HTMLElement>('[role="toolbar"] button:enabled')?.focus(),
        changeFontSize,
        resetFontSize: () => setFontSize(firstFontSize),
      }),
    )
  })

  const isOffline = !device.isOnline && state.phase !== 'ended'
  return (
    <div ref={frame} className={classes.frame} data-full-screen={isFullScreen || undefined}>
      <TerminalToolbar
        state={state}
        kind={kind}
        title={title}
        isFullScreen={isFullScreen}
        hasSelection={hasSelection}
        onCopy={() => void copy()}
        onPaste={() => void paste()}
        onClear={() => {
          xterm?.terminal.clear()
          focus()
        }}
        onFind={() => setIsFinding(true)}
        onFontSize={changeFontSize}
        onFullScreen={() => {
          toggleFullScreen()
          focus()
        }}
        onRestart={() => {
          session.current?.restart()
          focus()
        }}
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
      <div className={classes.screen}>
        <div ref={place} className={classes.place} data-testid="terminal" />
        {isFinding && xterm && <FindBar search={xterm.search} onClose={closeFind} />}
      </div>
    </div>
  )
}
