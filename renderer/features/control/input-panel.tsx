import { Button, SegmentedControl, Switch, Text } from '@mantine/core'
import { keyboardInputMode, type KeyboardInputMode } from '../../../shared/remote-control/values.ts'
import { en as t } from '../../strings/en.ts'
import { ctrlAltDel, specialKeys, windowsKey } from './keys.ts'
import classes from './dock.module.css'
import type { ControlRoomState } from './use-control-room.ts'

const modes = [
  { value: keyboardInputMode.Auto, label: t.control.modeAuto, hint: t.control.modeHints.auto },
  { value: keyboardInputMode.Physical, label: t.control.modePhysical, hint: t.control.modeHints.physical },
  { value: keyboardInputMode.Virtual, label: t.control.modeText, hint: t.control.modeHints.text },
]

const modeOf = (value: string): KeyboardInputMode =>
  modes.find((mode) => String(mode.value) === value)?.value ?? keyboardInputMode.Auto

/** Panel for keyboard and pointer settings. */
export function InputPanel({ room }: { room: ControlRoomState }) {
  const { settings, onChange, isViewOnly, keys, can } = room
  const inputBlock = room.state?.inputBlock ?? 'off'
  const hint = modes.find(({ value }) => value === settings.keyboard)?.hint
  return (
    <>
      <div>
        <Text component="h3" fw={600}>
          {t.control.keyboardMode}
        </Text>
        <SegmentedControl
          fullWidth
          size="xs"
          data={modes.map(({ value, label }) => ({ value: String(value), label }))}
          value={String(settings.keyboard)}
          aria-label={t.control.keyboardMode}
          onChange={(value) => onChange({ keyboard: modeOf(value) })}
        />
        <p className="small muted">{hint}</p>
      </div>
      {room.hasTouch && (
        <div>
          <Text component="h3" fw={600}>
            {t.control.fingers}
          </Text>
          <p className="small muted">{t.control.fingersHint}</p>
        </div>
      )}
      <div>
        <Text component="h3" fw={600}>
          {t.control.specialKeys}
        </Text>
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
      </div>
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
