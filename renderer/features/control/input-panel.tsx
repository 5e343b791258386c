import { Button, SegmentedControl, Switch, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { keyboardInputMode, type KeyboardInputMode } from '../../../shared/remote-control/values.ts'
import { en as t } from '../../strings/en.ts'
import type { ControlState } from './control-session.ts'
import { ctrlAltDel, specialKeys, windowsKey } from './keys.ts'
import type { ChangeSettings, ControlSettings } from './settings.ts'
import classes from './toolbar.module.css'

export type SpecialKey = (typeof specialKeys)[number]

interface InputPanelProps {
  settings: ControlSettings
  onChange: ChangeSettings
  isViewOnly: boolean
  canInteract: boolean
  onViewOnly: (isViewOnly: boolean) => void
  canBlockInput: boolean
  inputBlock: ControlState['inputBlock']
  onBlockInput: (isBlocked: boolean) => void
  canCtrlAltDel: boolean
  onCtrlAltDel: () => void
  onKey: (key: SpecialKey) => void
  onTypeText: () => void
  showsKeyBar: boolean
  onKeyBar: (isShown: boolean) => void
  onScreenKeyboard: () => void
}

const modes = [
  { value: keyboardInputMode.Auto, label: t.control.modeAuto, hint: t.control.modeHints.auto },
  { value: keyboardInputMode.Physical, label: t.control.modePhysical, hint: t.control.modeHints.physical },
  { value: keyboardInputMode.Virtual, label: t.control.modeText, hint: t.control.modeHints.text },
]

const modeOf = (value: string): KeyboardInputMode =>
  modes.find((mode) => String(mode.value) === value)?.value ?? keyboardInputMode.Auto

/** What pointer and keyboard do at the device. */
export function InputPanel(props: InputPanelProps) {
  const { settings, onChange, isViewOnly, inputBlock } = props
  const hasFingers = useMediaQuery('(any-pointer: coarse)')
  const hint = modes.find(({ value }) => value === settings.keyboard)?.hint
  return (
    <>
      <Switch
        label={t.control.viewOnly}
        description={t.control.viewOnlyHint}
        checked={isViewOnly}
        disabled={!props.canInteract}
        onChange={({ currentTarget }) => props.onViewOnly(currentTarget.checked)}
      />
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
      {hasFingers && (
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
          {props.canCtrlAltDel && (
            <Button size="compact-xs" variant="default" disabled={isViewOnly} onClick={props.onCtrlAltDel}>
              {ctrlAltDel.label}
            </Button>
          )}
          <Button size="compact-xs" variant="default" disabled={isViewOnly} onClick={() => props.onKey(windowsKey)}>
            {t.control.windowsKey}
          </Button>
          {specialKeys.map((key) => (
            <Button
              key={key.label}
              size="compact-xs"
              variant="default"
              disabled={isViewOnly}
              onClick={() => props.onKey(key)}
            >
              {key.label}
            </Button>
          ))}
        </div>
      </div>
      <div className={classes.keys}>
        <Button size="compact-sm" variant="default" disabled={isViewOnly} onClick={props.onTypeText}>
          {t.control.typeText}
        </Button>
        <Button size="compact-sm" variant="default" disabled={isViewOnly} onClick={props.onScreenKeyboard}>
          {t.control.onScreenKeyboard}
        </Button>
      </div>
      <Switch
        label={t.control.keyBar}
        description={t.control.keyBarHint}
        checked={props.showsKeyBar}
        disabled={isViewOnly}
        onChange={({ currentTarget }) => props.onKeyBar(currentTarget.checked)}
      />
      {props.canBlockInput && (
        <Switch
          label={t.control.blockInput}
          description={t.control.block[inputBlock]}
          checked={inputBlock === 'on'}
          disabled={isViewOnly || inputBlock === 'asked'}
          onChange={({ currentTarget }) => props.onBlockInput(currentTarget.checked)}
        />
      )}
    </>
  )
}
