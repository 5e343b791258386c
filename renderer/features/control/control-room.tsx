import { Tooltip } from '@mantine/core'
import {
  IconAdjustmentsHorizontal,
  IconDots,
  IconEye,
  IconEyeOff,
  IconKeyboard,
  IconKeyboardOff,
  IconPlayerRecordFilled,
  IconShieldLock,
  IconUsers,
  IconVolume,
} from '@tabler/icons-react'
import { useDeferredValue } from 'react'
import { controlRequest } from '../../../shared/remote-control/values.ts'
import { findAction, isUsable, type KeyPress } from '../../components/actions.ts'
import { useHeldControl } from '../../components/held-control.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import { oppositeOf } from '../viewer-kit/edges.ts'
import { useSendDrop } from '../transfers/send-drop.tsx'
import { useRunning } from '../viewer-kit/running-sessions.ts'
import { ViewerToolbar } from '../viewer-kit/viewer-toolbar.tsx'
import { controlActions } from './actions.ts'
import { ClipboardLine } from './clipboard-line.tsx'
import { connecting, type ControlState } from './control-state.ts'
import { Dock } from './dock.tsx'
import dockClasses from './dock.module.css'
import { ExtrasPanel } from './extras-panel.tsx'
import { Figures } from './figures.tsx'
import { canAct } from './holders.ts'
import { HoldersLine, HoldersPart } from './holders-line.tsx'
import { InputPanel } from './input-panel.tsx'
import { KeyBar } from './key-bar.tsx'
import type { PanelSettings } from './panel-parts.tsx'
import { Picture } from './picture.tsx'
import { QualityPanel } from './quality-panel.tsx'
import { RoomNotice } from './room-notice.tsx'
import { ScreenshotDialog } from './screenshot-dialog.tsx'
import type { ControlSettings } from './settings.ts'
import classes from './room.module.css'
import { TypeDialog } from './type-dialog.tsx'
import { useControlRoom, type ControlRoomProps, type ControlRoomState } from './use-control-room.ts'
import { ViewPanel } from './view-panel.tsx'

interface ControlToolbarProps extends PanelSettings {
  room: ControlRoomState
  /** False for the place of the toolbar alone. */
  isShown: boolean
}

function ControlToolbar({ room, isShown, settings, onChange }: ControlToolbarProps) {
  const { session, state, context, clipboard, copies, presence } = room
  const shown = state?.session ?? connecting
  const viewers = state?.viewers ?? []
  const isWatching = context.isViewOnly || !canAct(viewers)
  const texts = {
    ...t.viewer.phases,
    asking: t.control.asking,
    open: context.isViewOnly ? t.viewer.viewOnly : isWatching ? t.control.watchingOnly : t.control.running,
  }
  const shared = { settings, onChange }
  const panels = [
    {
      name: 'view',
      label: t.control.view,
      icon: IconEye,
      content: <ViewPanel {...shared} session={session} state={state} context={context} />,
    },
    {
      name: 'input',
      label: t.control.input,
      icon: IconKeyboard,
      content: (
        <InputPanel
          {...shared}
          session={session}
          switches={state}
          context={{ ...context, isViewOnly: isWatching }}
          keys={room.keys}
          showsKeyBar={room.showsKeyBar}
          onKeyBar={room.setShowsKeyBar}
          onType={() => room.setTyping(true)}
        />
      ),
    },
    {
      name: 'quality',
      label: t.common.quality,
      icon: IconAdjustmentsHorizontal,
      content: <QualityPanel {...shared} />,
    },
    {
      name: 'extras',
      label: t.control.extras,
      icon: IconDots,
      content: (
        <>
          <HoldersPart session={session} viewers={viewers} />
          <ExtrasPanel
            {...shared}
            session={session}
            state={state}
            clipboard={clipboard}
            copies={copies}
            onToggle={(isOn) => session?.clipboard.setOn(isOn)}
            isViewOnly={isWatching}
            recording={context.recording}
          />
        </>
      ),
    },
  ]
  return (
    <Dock ref={room.dock} settings={settings} onChange={onChange} isHeld={room.panel !== undefined}>
      {isShown && (
        <ViewerToolbar
          label={t.control.toolbar}
          session={shown}
          stateText={texts[shown.phase]}
          tools={{
            actions: controlActions,
            context,
            panels: { list: panels, opened: room.panel, onOpen: room.openPanel },
          }}
          edge={settings.edge}
          onLeave={room.keyboard.focus}
        >
          {state && marksOf(state).map((mark) => <DockMark key={mark.text} mark={mark} edge={settings.edge} />)}
          {context.recording?.state.isRecording && <DockMark mark={recordingMark} edge={settings.edge} />}
          {presence && <DockMark mark={{ text: presence, hint: presence, icon: IconUsers }} edge={settings.edge} />}
        </ViewerToolbar>
      )}
    </Dock>
  )
}

interface Mark {
  text: string
  hint: string
  icon: typeof IconUsers
}

/** States at the device, as the device confirms them. */
const marksOf = ({ inputBlock, privacyScreen, sound, isSecureDesktop }: ControlState): Mark[] => {
  const { switches, secureDesktop } = t.control
  const marks: (Mark & { isShown: boolean })[] = [
    { ...switches.inputBlock.mark, icon: IconKeyboardOff, isShown: inputBlock.state === 'on' },
    { ...switches.privacyScreen.mark, icon: IconEyeOff, isShown: privacyScreen.state === 'on' },
    { ...switches.sound.mark, icon: IconVolume, isShown: sound.state === 'on' },
    { ...secureDesktop, icon: IconShieldLock, isShown: isSecureDesktop },
  ]
  return marks.filter(({ isShown }) => isShown)
}

const recordingMark: Mark = {
  text: t.viewer.recording.running,
  hint: t.viewer.recording.runningHint,
  icon: IconPlayerRecordFilled,
}

function DockMark({ mark: { text, hint, icon: Icon }, edge }: { mark: Mark; edge: ControlSettings['edge'] }) {
  return (
    <Tooltip label={hint} position={oppositeOf[edge]}>
      <span className={dockClasses.presence} role="status" aria-label={text}>
        <Icon size={16} stroke={1.6} aria-hidden />
        <span className={`${dockClasses.presenceText} truncate`}>{text}</span>
      </span>
    </Tooltip>
  )
}

const nobody: ControlState['viewers'] = []

/** Time after which the tools are rendered without a picture: they take up to 100 ms, in which no picture is seen. */
const lateStartMs = 1_000

/** Remote control of one desktop: picture, toolbar and notices. */
export function ControlRoom(props: ControlRoomProps) {
  const { settings, onChange } = props
  const { device, can } = usePageDevice()
  const room = useControlRoom(props)
  const { session, state, context, copies, keys, keyboard, note } = room
  useHeldControl(device.id, state?.viewers ?? nobody, (id) => session?.requestControl(controlRequest.Give, id))
  useRunning('control', state && state.session.phase !== 'ended' ? 1 : 0, props.onLeave)
  const drop = useSendDrop(props.desktop.username, {
    shown: copies.state?.dropFolder,
    find: async () => await session?.clipboard.dropFolder(),
  })
  const isLate = useIsLate(state?.hasPicture === false, lateStartMs)
  // The first picture does not wait for the buttons.
  const hasToolbar = useDeferredValue(isLate || state?.hasPicture === true, false)
  const hostKey = (press: KeyPress) => {
    const found = findAction(controlActions, press)
    return found && (() => isUsable(found.action, context) && found.action.run(context, found.key))
  }
  if (!session || !state) {
    // Without a session nothing is rendered that would delay its request.
    return <div className={classes.room} />
  }
  const isSilent = state.isSilent && state.session.phase === 'open'
  return (
    <div className={classes.room} data-edge={settings.edge} data-full-screen={context.isFullScreen || undefined}>
      <ControlToolbar room={room} isShown={hasToolbar} settings={settings} onChange={onChange} />
      <div className={classes.view} data-focused={keyboard.isFocused || undefined} {...drop.handlers}>
        {drop.hint}
        <Picture
          deviceName={nameOfDevice(device)}
          session={session}
          state={state}
          settings={settings}
          onChange={onChange}
          keyboard={keyboard.element}
          isKeyboardOnScreen={keyboard.isOnScreen}
          input={{ hostKey, takeSticky: keys.take, onFocus: keyboard.setFocused, paste: copies.paste }}
        />
        <RoomNotice state={state} onAgain={() => session.begin()} onLeave={props.onLeave} />
        {settings.showsFigures && state.metrics && <Figures metrics={state.metrics} />}
        <div className={classes.foot}>
          <ClipboardLine
            deviceName={nameOfDevice(device)}
            clipboard={copies}
            canDownload={can('device.file-system.transfer-download')}
            onSavePicture={room.showPicture}
            onDismiss={() => session.clipboard.dismiss()}
          />
          <HoldersLine session={session} viewers={state.viewers} />
          {isSilent ? (
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
          {(room.showsKeyBar || keyboard.isOnScreen) && !context.isViewOnly && (
            <KeyBar held={keys.held} onHold={keys.toggle} onKey={keys.press} />
          )}
        </div>
      </div>
      <ScreenshotDialog
        deviceName={nameOfDevice(device)}
        noteFor={can('device.alias.write') ? device.id : undefined}
        screenshot={room.screenshot}
        onClose={room.closeScreenshot}
      />
      <TypeDialog
        isOpen={room.isTyping}
        onClose={() => room.setTyping(false)}
        onType={(text) => session.act({ name: 'TypeText', payload: { text } })}
      />
    </div>
  )
}
