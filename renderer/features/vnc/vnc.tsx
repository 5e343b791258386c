import { IconAdjustmentsHorizontal, IconClipboard } from '@tabler/icons-react'
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { findAction, runShortcut } from '../../components/actions.ts'
import { ConsentWait } from '../../components/consent-wait.tsx'
import { useIsAway } from '../../hooks/use-live-state.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import { useSendDrop } from '../transfers/send-drop.tsx'
import { useRunning } from '../viewer-kit/running-sessions.ts'
import { useFullScreen } from '../viewer-kit/use-full-screen.ts'
import { useNote } from '../viewer-kit/use-note.ts'
import { useSessionClipboard } from '../viewer-kit/use-session-clipboard.ts'
import { useViewerSession } from '../viewer-kit/use-viewer-session.ts'
import { focusToolbar, ViewerToolbar, type ToolbarPanel } from '../viewer-kit/viewer-toolbar.tsx'
import { vncActions } from './actions.ts'
import { maxClipboardLength } from './clipboard-inflate.ts'
import { ClipboardPanel, QualityPanel } from './vnc-panels.tsx'
import { CredentialsForm, KeyQuestion } from './vnc-questions.tsx'
import { VncSession, type VncState } from './vnc-session.ts'
import { useAppliedSettings, useVncSettings } from './vnc-settings.ts'
import { VncStart } from './vnc-start.tsx'
import classes from './vnc.module.css'

/** VNC session of the device with its clipboard. */
function useVnc(place: HTMLElement | null, isViewOnly: boolean) {
  const { device, can } = usePageDevice()
  const settings = useVncSettings()
  const [received, setReceived] = useState('')
  const [note, setNote] = useNote()
  const client = useRef<VncState['client']>(undefined)
  const clipboard = useSessionClipboard(device.id, {
    isShared: settings.isSynced,
    canRead: can('device.clipboard.read'),
    canWrite: can('device.clipboard.write'),
    canSend: () => client.current !== undefined && !isViewOnly,
    maxLength: maxClipboardLength,
    limit: t.vnc.clipboardLimit(maxClipboardLength),
    send: (text) => client.current?.clipboardPasteFrom(text),
    onReceived: setReceived,
    onNote: setNote,
  })
  const source = useMemo(() => (place ? { place, deviceId: device.id } : undefined), [place, device.id])
  const running = useViewerSession(
    source,
    (from) => new VncSession({ ...from, onClipboard: (text) => void clipboard.receive(text) }),
    device.isOnline,
  )
  client.current = running?.state.client
  return { device, settings, running, clipboard, received, note }
}

const idle: VncState['session'] = { phase: 'idle' }

/** Content in place of the screen: start form, question of the VNC server, or notice. */
function VncCards({ session, state }: { session: VncSession | undefined; state: VncState['session'] }) {
  const { device } = usePageDevice()
  const isAway = useIsAway()
  const disconnect = () => session?.disconnect()
  const question = state.phase === 'asking' ? state.question : undefined
  return (
    <>
      {['idle', 'connecting', 'ended'].includes(state.phase) && (
        <VncStart
          device={device}
          ended={state.phase === 'ended' ? state.reason : undefined}
          isConnecting={state.phase === 'connecting'}
          onConnect={(port) => session?.connect(port)}
        />
      )}
      {state.phase === 'connecting' && <ConsentWait device={device} subject="control" />}
      {question?.kind === 'credentials' && (
        <CredentialsForm
          key={question.problem}
          {...question}
          onSubmit={(given) => session?.submit(given)}
          onCancel={disconnect}
        />
      )}
      {question?.kind === 'key' && (
        <KeyQuestion fingerprint={question.fingerprint} onApprove={() => session?.approveKey()} onCancel={disconnect} />
      )}
      {state.phase === 'lost' && (
        <p className={classes.lost} role="status">
          <strong>{t.vnc.lost}.</strong> {isAway ? t.viewer.serverAway : t.vnc.lostHint}
        </p>
      )}
    </>
  )
}

/** VNC viewer of a device. */
export default function Vnc() {
  const isShown = useTabIsShown()
  const frame = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState<HTMLDivElement | null>(null)
  const [isViewOnly, setIsViewOnly] = useState(false)
  const [panel, setPanel] = useState<string>()
  const { isFull: isFullScreen, toggle: toggleFullScreen } = useFullScreen({ isEscOurs: true })
  const { device, settings, running, clipboard, received, note } = useVnc(place, isViewOnly)
  const session = running?.session
  const { session: state = idle, client, desktopName = '' } = running?.state ?? {}
  const isOpen = state.phase === 'open'
  const hasToolbar = isOpen || state.phase === 'asking' || state.phase === 'lost'
  useRunning('vnc', hasToolbar || state.phase === 'connecting' ? 1 : 0, () => session?.disconnect())
  useAppliedSettings(client, { settings, isViewOnly, isShown })

  const focus = useCallback(() => client?.focus({ preventScroll: true }), [client])
  useEffect(() => {
    if (isShown) {
      focus()
    }
  }, [focus, isShown])

  const panels: ToolbarPanel[] = [
    {
      name: 'clipboard',
      label: t.viewer.clipboard,
      icon: IconClipboard,
      content: <ClipboardPanel {...{ clipboard, settings, received, note }} />,
    },
    {
      name: 'quality',
      label: t.common.quality,
      icon: IconAdjustmentsHorizontal,
      content: <QualityPanel settings={settings} />,
    },
  ]
  const context = {
    isOpen,
    isViewOnly,
    setViewOnly: setIsViewOnly,
    sendCtrlAltDel: () => client?.sendCtrlAltDel(),
    isFullScreen,
    toggleFullScreen,
    focusToolbar: () => focusToolbar(frame.current),
    disconnect: () => session?.disconnect(),
  }
  const drop = useSendDrop()
  const handleKeys = (event: KeyboardEvent) => {
    if (!findAction(vncActions, event)) {
      return
    }
    event.preventDefault()
    event.stopPropagation()
    // Ctrl and Shift are down at the device, and their release would not reach it from the toolbar: noVNC releases all
    // keys when the window loses the focus.
    window.dispatchEvent(new FocusEvent('blur'))
    runShortcut(vncActions, event, context)
  }
  return (
    <div
      ref={frame}
      className={classes.frame}
      data-full-screen={(isFullScreen && hasToolbar) || undefined}
      onKeyDownCapture={hasToolbar ? handleKeys : undefined}
      {...drop.handlers}
    >
      {drop.hint}
      {hasToolbar && (
        <ViewerToolbar
          label={t.vnc.toolbar}
          session={state}
          stateText={t.viewer.phases[state.phase]}
          tools={{ actions: vncActions, context, panels: { opened: panel, onOpen: setPanel, list: panels } }}
          onLeave={focus}
        >
          {desktopName && (
            <bdi className="truncate muted" title={`${t.vnc.desktop}: ${desktopName}`}>
              {desktopName}
            </bdi>
          )}
          {isFullScreen && <span className="small muted">{t.vnc.leaveHint}</span>}
        </ViewerToolbar>
      )}
      <VncCards session={session} state={state} />
      <div
        ref={setPlace}
        className={classes.screen}
        role="application"
        aria-label={t.vnc.screen(nameOfDevice(device))}
        hidden={!isOpen}
        onFocus={() => clipboard.setFocused(true)}
        onBlur={() => clipboard.setFocused(false)}
      />
    </div>
  )
}
