import { useCallback, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { DesktopSession } from '../../../../shared/dtos/desktop-session.ts'
import { viewer } from '../../../api/hubs.ts'
import { en as t } from '../../../strings/en.ts'
import { usePageDevice, useTabIsShown } from '../page-device.ts'
import { ExtrasPanel } from './extras-panel.tsx'
import { Figures } from './figures.tsx'
import { InputPanel, type SpecialKey } from './input-panel.tsx'
import { KeyBar } from './key-bar.tsx'
import { ctrlAltDel, strokesOf, type HeldModifier, type HostCommand } from './keys.ts'
import { Picture } from './picture.tsx'
import { QualityPanel } from './quality-panel.tsx'
import { RoomNotice } from './room-notice.tsx'
import classes from './room.module.css'
import { captureOf, type ChangeSettings, type ControlSettings } from './settings.ts'
import { Toolbar, type PanelName } from './toolbar.tsx'
import { TypeDialog } from './type-dialog.tsx'
import { useFullScreen } from '../../../hooks/use-full-screen.ts'
import { useIsPageSeen } from './use-is-page-seen.ts'
import { useSession } from './use-session.ts'
import { useSharedClipboard } from './use-shared-clipboard.ts'
import { ViewPanel } from './view-panel.tsx'

interface ControlRoomProps {
  desktop: DesktopSession
  startsViewOnly: boolean
  settings: ControlSettings
  onChange: ChangeSettings
  onLeave: () => void
}

const windows = 1
const noteMs = 6_000

/** A line that goes by itself. */
function useNote(): [string | undefined, (text: string) => void] {
  const [note, setNote] = useState<string>()
  useEffect(() => {
    const timer = note === undefined ? undefined : setTimeout(() => setNote(undefined), noteMs)
    return () => clearTimeout(timer)
  }, [note])
  return [note, useCallback((text: string) => setNote(text), [])]
}

/** One desktop on screen: its picture, the tools, and what is to be said about the session. */
export function ControlRoom({ desktop, startsViewOnly, settings, onChange, onLeave }: ControlRoomProps) {
  const { device, can } = usePageDevice()
  const isPageSeen = useIsPageSeen()
  const isShown = useTabIsShown()
  const keyboard = useRef<HTMLTextAreaElement>(null)
  const bar = useRef<HTMLDivElement>(null)
  const { isFull, toggle } = useFullScreen()
  const [note, setNote] = useNote()
  const [isTyping, setIsTyping] = useState(false)
  const [panel, setPanel] = useState<PanelName>()
  const [isFocused, setIsFocused] = useState(false)
  const [showsKeyBar, setShowsKeyBar] = useState(false)
  const [isKeyboardOnScreen, setIsKeyboardOnScreen] = useState(false)
  const [sticky, setSticky] = useState<readonly HeldModifier[]>([])
  const [canRead, canWrite] = [can('device.clipboard.read'), can('device.clipboard.write')]
  const canInteract = can('device.remote-control.interact')
  const clipboard = useSharedClipboard({
    deviceId: device.id,
    isOn: settings.sharesClipboard,
    canRead,
    canWrite,
    onNote: setNote,
  })
  const capture = captureOf(settings, isPageSeen && isShown)
  const running = useSession({
    deviceId: device.id,
    desktop,
    capture,
    isViewOnly: startsViewOnly || !canInteract,
    needsConsent: settings.needsConsent,
    onClipboard: (text) => void clipboard.take(text),
  })
  const session = running?.session
  const phase = running?.state.phase.name
  const [isViewOnly, setIsViewOnly] = useState(startsViewOnly || !canInteract)

  const captureKey = JSON.stringify(capture)
  const sentCapture = useRef(captureKey)
  useEffect(() => {
    if (session && sentCapture.current !== captureKey) {
      sentCapture.current = captureKey
      session.setCapture(JSON.parse(captureKey))
    }
  }, [session, captureKey])

  const { forget: forgetClipboard } = clipboard
  const focus = useCallback(() => keyboard.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    if (isShown && phase === 'running') {
      focus()
    }
    if (phase === 'lost') {
      forgetClipboard()
    }
  }, [isShown, phase, focus, forgetClipboard])

  const told = running?.state.told
  useEffect(() => {
    if (told) {
      setNote(t.control.deviceSays(told.text))
    }
  }, [told, setNote])
  useEffect(() => {
    if (isFull) {
      setNote(t.control.hostKey)
    }
  }, [isFull, setNote])

  const toggleFullScreen = () => {
    toggle()
    focus()
  }
  /** A session that began with looking only is one for looking only at the device: acting takes another one. */
  const changeViewOnly = (next: boolean) => {
    setIsViewOnly(next)
    session?.begin({ isViewOnly: next })
  }
  const press = (key: SpecialKey) => {
    const strokes = strokesOf({ ...key, held: [...sticky, ...key.held] })
    strokes.forEach((payload) => session?.act({ name: 'KeyEvent', payload }))
    setSticky([])
  }
  const pressCtrlAltDel = async () => {
    if (device.platform !== windows) {
      press(ctrlAltDel)
      return
    }
    try {
      const { isSuccess, reason } = await viewer.InvokeCtrlAltDel2({
        deviceId: device.id,
        targetDesktopProcessId: session?.processId ?? desktop.processId,
        desktopSessionType: desktop.type,
      })
      if (!isSuccess) {
        setNote(`${t.control.ctrlAltDelFailed}: ${reason ?? t.control.refused}`)
      }
    } catch {
      setNote(`${t.control.ctrlAltDelFailed}: ${t.control.noServer}`)
    }
  }
  const command = (asked: HostCommand) => {
    if (asked === 'full-screen') {
      toggleFullScreen()
    } else if (asked === 'toolbar') {
      // A hidden toolbar has one button, which shows it.
      bar.current?.querySelector('button')?.click()
      requestAnimationFrame(() => bar.current?.querySelector('button')?.focus())
    } else if (asked === 'view-only') {
      if (canInteract) {
        changeViewOnly(!isViewOnly)
      }
    } else {
      const display = running?.state.displays[asked.display - 1]
      if (display) {
        session?.show(display.displayId)
      }
    }
  }
  /** Browsers show it when a field gets the focus that asks for it, within the tap. */
  const showKeyboard = (isOn: boolean) => {
    keyboard.current?.blur()
    flushSync(() => {
      setPanel(undefined)
      setIsKeyboardOnScreen(isOn)
    })
    focus()
  }
  const changeFocus = (hasFocus: boolean) => {
    setIsFocused(hasFocus)
    if (!hasFocus) {
      setSticky([])
      setIsKeyboardOnScreen(false)
    }
    if (session) {
      clipboard.focus(hasFocus, session)
    }
  }
  const takeSticky = () => {
    if (sticky.length > 0) {
      setSticky([])
    }
    return sticky
  }

  const state = running?.state
  return (
    <div className={classes.room} data-edge={settings.edge} data-full-screen={isFull || undefined}>
      <Toolbar
        bar={bar}
        opened={panel}
        onOpen={setPanel}
        phase={phase ?? 'connecting'}
        isViewOnly={isViewOnly}
        settings={settings}
        onChange={onChange}
        isFullScreen={isFull}
        onFullScreen={toggleFullScreen}
        isKeyboardOnScreen={isKeyboardOnScreen}
        onScreenKeyboard={() => showKeyboard(!isKeyboardOnScreen)}
        onEnd={() => session?.end()}
        onLeave={focus}
        panels={{
          view: (
            <ViewPanel
              settings={settings}
              onChange={onChange}
              displays={state?.displays ?? []}
              shownId={state?.shownId}
              onShow={(displayId) => session?.show(displayId)}
              isFullScreen={isFull}
              onFullScreen={toggleFullScreen}
            />
          ),
          input: (
            <InputPanel
              settings={settings}
              onChange={onChange}
              isViewOnly={isViewOnly}
              canInteract={canInteract}
              onViewOnly={changeViewOnly}
              canBlockInput={can('device.remote-control.block-input')}
              inputBlock={state?.inputBlock ?? 'off'}
              onBlockInput={(isBlocked) => session?.blockInput(isBlocked)}
              canCtrlAltDel={device.platform !== windows || can('device.ctrl-alt-del.send')}
              onCtrlAltDel={() => void pressCtrlAltDel()}
              onKey={press}
              onTypeText={() => {
                setPanel(undefined)
                setIsTyping(true)
              }}
              showsKeyBar={showsKeyBar}
              onKeyBar={setShowsKeyBar}
              onScreenKeyboard={() => showKeyboard(true)}
            />
          ),
          quality: <QualityPanel settings={settings} onChange={onChange} />,
          extras: (
            <ExtrasPanel
              settings={settings}
              onChange={onChange}
              canRead={canRead}
              canWrite={canWrite}
              isViewOnly={isViewOnly}
              onSendClipboard={() => session && void clipboard.give(session, true)}
            />
          ),
        }}
      />
      <div className={classes.view} data-focused={isFocused || undefined}>
        {session && state && (
          <Picture
            deviceName={device.name}
            session={session}
            state={state}
            settings={settings}
            onChange={onChange}
            keyboard={keyboard}
            isKeyboardOnScreen={isKeyboardOnScreen}
            takeSticky={takeSticky}
            onCommand={command}
            onFocus={changeFocus}
          />
        )}
        {state && <RoomNotice state={state} onAgain={() => session?.begin()} onLeave={onLeave} />}
        {settings.showsFigures && state?.metrics && <Figures metrics={state.metrics} />}
        <div className={classes.foot}>
          {state?.isSilent && phase === 'running' ? (
            <p className={classes.line} role="alert" data-warning>
              {t.control.silent}
            </p>
          ) : (
            note !== undefined && (
              <p className={classes.line} role="status">
                {note}
              </p>
            )
          )}
          {(showsKeyBar || isKeyboardOnScreen) && !isViewOnly && (
            <KeyBar
              held={sticky}
              onHold={(modifier) =>
                setSticky((before) =>
                  before.includes(modifier) ? before.filter((held) => held !== modifier) : [...before, modifier],
                )
              }
              onKey={press}
            />
          )}
        </div>
      </div>
      <TypeDialog
        isOpen={isTyping}
        onClose={() => {
          setIsTyping(false)
          focus()
        }}
        onType={(text) => session?.act({ name: 'TypeText', payload: { text } })}
      />
    </div>
  )
}
