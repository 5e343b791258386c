import { Tooltip } from '@mantine/core'
import { IconAdjustmentsHorizontal, IconDots, IconEye, IconKeyboard, IconUsers } from '@tabler/icons-react'
import { findAction, isUsable, type KeyPress } from '../../components/actions.ts'
import * as t from '../../texts.ts'
import { oppositeOf } from '../viewer-kit/edges.ts'
import { useSendDrop } from '../transfers/send-drop.tsx'
import { useRunning } from '../viewer-kit/running-sessions.ts'
import { ViewerToolbar } from '../viewer-kit/viewer-toolbar.tsx'
import { controlActions } from './actions.ts'
import { Dock } from './dock.tsx'
import dockClasses from './dock.module.css'
import { ExtrasPanel } from './extras-panel.tsx'
import { Figures } from './figures.tsx'
import { InputPanel } from './input-panel.tsx'
import { KeyBar } from './key-bar.tsx'
import { Picture } from './picture.tsx'
import { QualityPanel } from './quality-panel.tsx'
import { RoomNotice } from './room-notice.tsx'
import classes from './room.module.css'
import { TypeDialog } from './type-dialog.tsx'
import { connecting, useControlRoom, type ControlRoomProps, type ControlRoomState } from './use-control-room.ts'
import { ViewPanel } from './view-panel.tsx'

function ControlToolbar({ room }: { room: ControlRoomState }) {
  const { state, isViewOnly, settings, presence } = room
  const session = state?.session ?? connecting
  const texts = {
    ...t.viewer.phases,
    asking: t.control.asking,
    open: isViewOnly ? t.viewer.viewOnly : t.control.running,
  }
  const panels = [
    { name: 'view', label: t.control.view, icon: IconEye, content: <ViewPanel room={room} /> },
    { name: 'input', label: t.control.input, icon: IconKeyboard, content: <InputPanel room={room} /> },
    {
      name: 'quality',
      label: t.common.quality,
      icon: IconAdjustmentsHorizontal,
      content: <QualityPanel room={room} />,
    },
    { name: 'extras', label: t.control.extras, icon: IconDots, content: <ExtrasPanel room={room} /> },
  ]
  return (
    <Dock ref={room.dock} settings={settings} onChange={room.onChange} isHeld={room.panel !== undefined}>
      <ViewerToolbar
        label={t.control.toolbar}
        session={session}
        stateText={texts[session.phase]}
        tools={{
          actions: controlActions,
          context: room,
          panels: { list: panels, opened: room.panel, onOpen: room.openPanel },
        }}
        edge={settings.edge}
        onLeave={room.focus}
      >
        {presence && (
          <Tooltip label={presence} position={oppositeOf[settings.edge]}>
            <span className={dockClasses.presence} role="status" aria-label={presence}>
              <IconUsers size={16} stroke={1.6} aria-hidden />
              <span className={`${dockClasses.presenceText} truncate`}>{presence}</span>
            </span>
          </Tooltip>
        )}
      </ViewerToolbar>
    </Dock>
  )
}

/** Remote control of one desktop: picture, toolbar and notices. */
export function ControlRoom(props: ControlRoomProps) {
  const room = useControlRoom(props)
  const { device, session, state, settings, keys, note, isViewOnly } = room
  useRunning('control', state && state.session.phase !== 'ended' ? 1 : 0, props.onLeave)
  const drop = useSendDrop(props.desktop.username)
  const isSilent = state?.isSilent && state.session.phase === 'open'
  const hostKey = (press: KeyPress) => {
    const found = findAction(controlActions, press)
    return found && (() => isUsable(found.action, room) && found.action.run(room, found.key))
  }
  return (
    <div className={classes.room} data-edge={settings.edge} data-full-screen={room.isFullScreen || undefined}>
      <ControlToolbar room={room} />
      <div className={classes.view} data-focused={room.isFocused || undefined} {...drop.handlers}>
        {drop.hint}
        {session && state && (
          <Picture
            deviceName={device.name}
            session={session}
            state={state}
            settings={settings}
            onChange={props.onChange}
            keyboard={room.keyboard}
            isKeyboardOnScreen={room.isKeyboardOnScreen}
            input={{ hostKey, takeSticky: keys.take, onFocus: room.setFocused }}
          />
        )}
        {state && <RoomNotice state={state} onAgain={() => session?.begin()} onLeave={props.onLeave} />}
        {settings.showsFigures && state?.metrics && <Figures metrics={state.metrics} />}
        <div className={classes.foot}>
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
          {(room.showsKeyBar || room.isKeyboardOnScreen) && !isViewOnly && (
            <KeyBar held={keys.held} onHold={keys.toggle} onKey={keys.press} />
          )}
        </div>
      </div>
      <TypeDialog
        isOpen={room.isTyping}
        onClose={room.closeTypeDialog}
        onType={(text) => session?.act({ name: 'TypeText', payload: { text } })}
      />
    </div>
  )
}
