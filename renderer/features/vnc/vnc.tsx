import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent } from 'react'
import { useFullScreen } from '../viewer-kit/use-full-screen.ts'
import { useLiveState } from '../../hooks/use-live-state.ts'
import { en as t } from '../../strings/en.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { useVncClipboard } from './use-vnc-clipboard.ts'
import classes from './vnc.module.css'
import { CredentialsForm, KeyQuestion } from './vnc-questions.tsx'
import { createVncSession, type VncSession, type VncState } from './vnc-session.ts'
import { useAppliedSettings, useVncSettings } from './vnc-settings.ts'
import { VncStart } from './vnc-start.tsx'
import { VncToolbar } from './vnc-toolbar.tsx'

const words: Record<VncState['phase'], string> = {
  off: '',
  ended: '',
  connecting: t.vnc.connecting,
  credentials: t.vnc.waiting,
  key: t.vnc.waiting,
  open: t.vnc.connected,
  lost: t.vnc.lost,
}

/** A VNC server of the device on this page. */
export default function Vnc() {
  const { device, can } = usePageDevice()
  const isShown = useTabIsShown()
  const isLive = useLiveState().state === 'live'
  const frame = useRef<HTMLDivElement>(null)
  const toolbar = useRef<HTMLDivElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const session = useRef<VncSession>(undefined)
  const [state, setState] = useState<VncState>({ phase: 'off' })
  const [desktopName, setDesktopName] = useState('')
  const [isViewOnly, setIsViewOnly] = useState(false)
  const { isFull: isFullScreen, toggle: toggleFullScreen } = useFullScreen({ isEscOurs: true })
  const settings = useVncSettings()
  const [client, setClient] = useState<ReturnType<VncSession['client']>>()
  const isOpen = state.phase === 'open'
  const mayRead = can('device.clipboard.read')
  const mayWrite = can('device.clipboard.write')
  const [getClient] = useState(() => () => session.current?.client())
  const clipboard = useVncClipboard({
    deviceId: device.id,
    client: getClient,
    frame,
    isActive: isOpen && isShown,
    isSynced: settings.isSynced,
    mayRead,
    mayWrite,
  })
  const receive = useEffectEvent(clipboard.receive)
  useAppliedSettings(client, { settings, isViewOnly, isShown })

  useEffect(() => {
    if (!place.current) {
      return
    }
    const created = createVncSession({
      deviceId: device.id,
      place: place.current,
      onState: (next) => {
        setState(next)
        setClient(created.client())
      },
      onDesktopName: setDesktopName,
      onClipboard: (text) => receive(text),
    })
    session.current = created
    return () => created.stop()
  }, [device.id])

  const isReachable = isLive && device.isOnline
  useEffect(() => session.current?.setReachable(isReachable), [isReachable, device.id])

  // The hands are on the screen of the device as soon as there is one.
  useEffect(() => {
    if (client && isShown) {
      client.focus({ preventScroll: true })
    }
  }, [client, isShown])

  const handleKeys = (event: KeyboardEvent) => {
    if (!event.ctrlKey || !event.shiftKey || !['Enter', 'ArrowUp'].includes(event.key)) {
      return
    }
    event.preventDefault()
    event.stopPropagation()
    // Ctrl and Shift are down at the device, and their release would not reach it from the toolbar: noVNC releases all
    // that is down when the window loses the keyboard.
    window.dispatchEvent(new FocusEvent('blur'))
    if (event.key === 'Enter') {
      toggleFullScreen()
    } else {
      toolbar.current?.querySelector('button')?.focus()
    }
  }

  const hasSession = state.phase !== 'off' && state.phase !== 'ended' && state.phase !== 'connecting'
  const isConnecting = state.phase === 'connecting'
  const disconnect = () => {
    session.current?.disconnect()
    setDesktopName('')
  }
  return (
    <div
      ref={frame}
      className={classes.frame}
      data-full-screen={(isFullScreen && hasSession) || undefined}
      onKeyDownCapture={hasSession ? handleKeys : undefined}
    >
      {hasSession && (
        <VncToolbar
          toolbar={toolbar}
          stateWord={words[state.phase]}
          isOpen={isOpen}
          desktopName={desktopName}
          settings={settings}
          isViewOnly={isViewOnly}
          onViewOnly={(isNow) => {
            setIsViewOnly(isNow)
            getClient()?.focus()
          }}
          clipboard={clipboard}
          mayRead={mayRead}
          mayWrite={mayWrite}
          isFullScreen={isFullScreen}
          onCtrlAltDel={() => {
            getClient()?.sendCtrlAltDel()
            getClient()?.focus()
          }}
          onFullScreen={() => {
            toggleFullScreen()
            getClient()?.focus()
          }}
          onDisconnect={disconnect}
        />
      )}
      {(state.phase === 'off' || state.phase === 'ended' || isConnecting) && (
        <VncStart
          device={device}
          ended={state.phase === 'ended' ? state.reason : undefined}
          isConnecting={isConnecting}
          onConnect={(port) => session.current?.connect(port)}
        />
      )}
      {state.phase === 'credentials' && (
        <CredentialsForm
          key={state.problem}
          names={state.names}
          problem={state.problem}
          onSubmit={(given) => session.current?.submit(given)}
          onCancel={disconnect}
        />
      )}
      {state.phase === 'key' && (
        <KeyQuestion
          fingerprint={state.fingerprint}
          onApprove={() => session.current?.approveKey()}
          onCancel={disconnect}
        />
      )}
      {state.phase === 'lost' && (
        <p className={classes.lost} role="status">
          <strong>{t.vnc.lost}.</strong> {t.vnc.lostHint}
        </p>
      )}
      <div
        ref={place}
        className={classes.screen}
        role="application"
        aria-label={t.vnc.screen(device.name)}
        hidden={!isOpen}
      />
    </div>
  )
}
