import { useCallback, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { en as t } from '../../strings/en.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { ExtrasPanel } from './extras-panel.tsx'
import { Figures } from './figures.tsx'
import { InputPanel } from './input-panel.tsx'
import { KeyBar } from './key-bar.tsx'
import type { HostCommand } from './keys.ts'
import { Picture } from './picture.tsx'
import { QualityPanel } from './quality-panel.tsx'
import { RoomNotice } from './room-notice.tsx'
import classes from './room.module.css'
import type { ChangeSettings, ControlSettings } from './settings.ts'
import { Toolbar, type PanelName } from './toolbar.tsx'
import { TypeDialog } from './type-dialog.tsx'
import { useFullScreen } from '../viewer-kit/use-full-screen.ts'
import { useNote } from './use-note.ts'
import { useOtherViewers } from './use-other-viewers.ts'
import { useRoomSession } from './use-room-session.ts'
import { useSpecialKeys } from './use-special-keys.ts'
import { ViewPanel } from './view-panel.tsx'

interface ControlRoomProps {
  desktop: DesktopSession
  startsViewOnly: boolean
  settings: ControlSettings
  onChange: ChangeSettings
  onLeave: () => void
}

/** One desktop on screen: its picture, the tools, and what is to be said about the session. */
export function ControlRoom({ desktop, startsViewOnly, settings, onChange, onLeave }: ControlRoomProps) {
  const { device, can } = usePageDevice()
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
  const { session, state, clipboard, isViewOnly, changeViewOnly } = useRoomSession({
    desktop,
    startsViewOnly,
    settings,
    onNote: setNote,
  })
  const keys = useSpecialKeys({ session, desktop, onNote: setNote })
  const canInteract = can('device.remote-control.interact')
  const phase = state?.phase.name
  const presence = useOtherViewers(device.id, isShown, session?.sessionId)

  const focus = useCallback(() => keyboard.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    if (isShown && phase === 'running') {
      focus()
    }
  }, [isShown, phase, focus])

  useEffect(() => {
    if (isFull) {
      setNote(t.control.hostKey)
      return () => setNote(undefined)
    }
  }, [isFull, setNote])

  const toggleFullScreen = () => {
    toggle()
    focus()
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
      const display = state?.displays[asked.display - 1]
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
      keys.release()
      setIsKeyboardOnScreen(false)
    }
    if (session) {
      clipboard.focus(hasFocus, session)
    }
  }

  useEffect(() => {
    if (presence !== '') {
      setNote(presence)
    }
  }, [presence, setNote])

  return (
    <div className={classes.room} data-edge={settings.edge} data-full-screen={isFull || undefined}>
      <Toolbar
        bar={bar}
        opened={panel}
        onOpen={setPanel}
        phase={phase ?? 'connecting'}
        isViewOnly={isViewOnly}
        presence={presence}
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
              listedDisplays={state?.listedDisplays ?? 0}
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
              canCtrlAltDel={keys.canCtrlAltDel}
              onCtrlAltDel={() => void keys.pressCtrlAltDel()}
              onKey={keys.press}
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
              canRead={can('device.clipboard.read')}
              canWrite={can('device.clipboard.write')}
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
            takeSticky={keys.take}
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
            <KeyBar held={keys.held} onHold={keys.toggle} onKey={keys.press} />
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
