import { Button, Group, Switch } from '@mantine/core'
import { keyboardInputMode, type KeyboardInputMode } from '../../../shared/remote-control/values.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import * as t from '../../texts.ts'
import { ctrlAltDel, specialKeys, windowsKey } from './keys.ts'
import type { ControlContext } from './actions.ts'
import type { ControlSession } from './control-session.ts'
import type { DeviceSwitch, SwitchName } from './device-switch.ts'
import { DeviceSwitchRow } from './device-switch-row.tsx'
import { PanelChoice, PanelPart, type PanelSettings } from './panel-parts.tsx'
import type { SpecialKeys } from './use-special-keys.ts'

const modes: { value: KeyboardInputMode; label: string; hint: string }[] = [
  { value: keyboardInputMode.Auto, label: t.control.modeAuto, hint: t.control.modeHints.auto },
  { value: keyboardInputMode.Physical, label: t.control.modePhysical, hint: t.control.modeHints.physical },
  { value: keyboardInputMode.Virtual, label: t.control.modeText, hint: t.control.modeHints.text },
]

const switchNames: readonly SwitchName[] = ['inputBlock', 'privacyScreen']

interface InputPanelProps extends PanelSettings {
  session: ControlSession | undefined
  switches: Record<SwitchName, DeviceSwitch> | undefined
  context: Pick<ControlContext, 'isViewOnly' | 'hasTouch' | 'showKeyboard'>
  keys: SpecialKeys
  showsKeyBar: boolean
  onKeyBar: (isShown: boolean) => void
  /** Opens the dialog for text to type at the device. */
  onType: () => void
}

/** Panel for keyboard and pointer settings. */
export function InputPanel(props: InputPanelProps) {
  const { settings, onChange, session, switches, context, keys } = props
  const { can } = usePageDevice()
  const { isViewOnly } = context
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
      {context.hasTouch && (
        <PanelPart title={t.control.fingers}>
          <p className="small muted">{t.control.fingersHint}</p>
        </PanelPart>
      )}
      <PanelPart title={t.control.specialKeys}>
        <Group gap={4} mt={6} role="group" aria-label={t.control.specialKeys}>
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
        </Group>
      </PanelPart>
      <Group gap={4} mt={6}>
        <Button size="compact-sm" variant="default" disabled={isViewOnly} onClick={props.onType}>
          {t.control.typeText}
        </Button>
        <Button size="compact-sm" variant="default" disabled={isViewOnly} onClick={() => context.showKeyboard(true)}>
          {t.control.onScreenKeyboard}
        </Button>
      </Group>
      <Switch
        label={t.control.keyBar}
        description={t.control.keyBarHint}
        checked={props.showsKeyBar}
        disabled={isViewOnly}
        onChange={({ currentTarget }) => props.onKeyBar(currentTarget.checked)}
      />
      {can('device.remote-control.block-input') &&
        switchNames.map((name) => (
          <DeviceSwitchRow key={name} name={name} session={session} switches={switches} isDisabled={isViewOnly} />
        ))}
    </>
  )
}
