import { Button, Switch } from '@mantine/core'
import { keyboardInputMode, type KeyboardInputMode } from '../../../shared/remote-control/values.ts'
import * as t from '../../texts.ts'
import { ctrlAltDel, specialKeys, windowsKey } from './keys.ts'
import classes from './dock.module.css'
import { PanelChoice, PanelPart } from './panel-parts.tsx'
import type { ControlRoomState } from './use-control-room.ts'

const modes: { value: KeyboardInputMode; label: string; hint: string }[] = [
  { value: keyboardInputMode.Auto, label: t.control.modeAuto, hint: t.control.modeHints.auto },
  { value: keyboardInputMode.Physical, label: t.control.modePhysical, hint: t.control.modeHints.physical },
  { value: keyboardInputMode.Virtual, label: t.control.modeText, hint: t.control.modeHints.text },
]

/** Panel for keyboard and pointer settings. */
export function InputPanel({ room }: { room: ControlRoomState }) {
  const { settings, onChange, isViewOnly, keys, can } = room
  const inputBlock = room.state?.inputBlock ?? 'off'
  const hint = modes.find(({ value }) => value === settings.keyboard)?.hint
  return (
    <>
      <PanelChoice
        title={t.control.keyboardMode}
        choices={modes}
        value={settings.keyboard}
        onChange={(keyboard) => onChange({ keyboard })}
      >
        <p className="small muted">{hint}</p>
      </PanelChoice>
      {room.hasTouch && (
        <PanelPart title={t.control.fingers}>
          <p className="small muted">{t.control.fingersHint}</p>
        </PanelPart>
      )}
      <PanelPart title={t.control.specialKeys}>
        <div className={classes.keys} role="group" aria-label={t.control.specialKeys}>
          {keys.canCtrlAltDel && (
            <Button
              size="compact-xs"
              variant="default"
              disabled={isViewOnly}
              onClick={() => void keys.pressCtrlAltDel()}
            >
              {ctrlAltDel.label}
            </Button>
          )}
          <Button size="compact-xs" variant="default" disabled={isViewOnly} onClick={() => keys.press(windowsKey)}>
            {t.control.windowsKey}
          </Button>
          {specialKeys.map((key) => (
            <Button
              key={key.label}
              size="compact-xs"
              variant="default"
              disabled={isViewOnly}
              onClick={() => keys.press(key)}
            >
              {key.label}
            </Button>
          ))}
        </div>
      </PanelPart>
      <div className={classes.keys}>
        <Button size="compact-sm" variant="default" disabled={isViewOnly} onClick={room.openTypeDialog}>
          {t.control.typeText}
        </Button>
        <Button size="compact-sm" variant="default" disabled={isViewOnly} onClick={() => room.showKeyboard(true)}>
          {t.control.onScreenKeyboard}
        </Button>
      </div>
      <Switch
        label={t.control.keyBar}
        description={t.control.keyBarHint}
        checked={room.showsKeyBar}
        disabled={isViewOnly}
        onChange={({ currentTarget }) => room.setShowsKeyBar(currentTarget.checked)}
      />
      {can('device.remote-control.block-input') && (
        <Switch
          label={t.control.blockInput}
          description={t.control.block[inputBlock]}
          checked={inputBlock === 'on'}
          disabled={isViewOnly || inputBlock === 'asked'}
          onChange={({ currentTarget }) => room.session?.blockInput(currentTarget.checked)}
        />
      )}
    </>
  )
}
