import { SegmentedControl, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ChangeSettings, ControlSettings } from './settings.ts'

/** Titled part of a panel. */
export const PanelPart = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <Text component="h3" fw={600}>
      {title}
    </Text>
    {children}
  </div>
)

interface PanelChoiceProps<Value extends string | number> {
  title: string
  choices: readonly { value: Value; label: string }[]
  value: Value
  onChange: (value: Value) => void
  /** Below the choice. */
  children?: ReactNode
}

export const PanelChoice = <Value extends string | number>(props: PanelChoiceProps<Value>) => (
  <PanelPart title={props.title}>
    <SegmentedControl
      fullWidth
      size="xs"
      data={props.choices.map(({ value, label }) => ({ value: String(value), label }))}
      value={String(props.value)}
      aria-label={props.title}
      onChange={(chosen) => {
        const choice = props.choices.find(({ value }) => String(value) === chosen)
        if (choice) {
          props.onChange(choice.value)
        }
      }}
    />
    {props.children}
  </PanelPart>
)

/** Settings that a panel shows and changes. */
export interface PanelSettings {
  settings: ControlSettings
  onChange: ChangeSettings
}

type Toggle = { [Name in keyof ControlSettings]: ControlSettings[Name] extends boolean ? Name : never }

/** Props of the switch of a setting. */
export const settingSwitch = ({ settings, onChange }: PanelSettings, name: Toggle[keyof Toggle]) => ({
  checked: settings[name],
  onChange: ({ currentTarget }: { currentTarget: { checked: boolean } }) => onChange({ [name]: currentTarget.checked }),
})
