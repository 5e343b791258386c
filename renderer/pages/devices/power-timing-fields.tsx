import { Select } from '@mantine/core'
import { personChoices, powerTimes, type PowerTiming } from '../../../shared/dtos/power-order.ts'
import * as t from '../../texts.ts'

interface PowerTimingFieldsProps {
  value: PowerTiming
  onChange: (changes: Partial<PowerTiming>) => void
}

/** Fields for when a restart or shutdown happens, and what the person at the device may choose. */
export function PowerTimingFields({ value: { when, person }, onChange }: PowerTimingFieldsProps) {
  return (
    <>
      <Select
        label={t.power.when}
        allowDeselect={false}
        data={powerTimes.map((time) => ({ value: time, label: t.power.times[time] }))}
        value={when}
        onChange={(time) => time !== null && onChange({ when: time })}
      />
      <Select
        label={t.power.person}
        allowDeselect={false}
        data={personChoices.map((choice) => ({ value: choice, label: t.power.choices[choice] }))}
        value={person}
        onChange={(choice) => choice !== null && onChange({ person: choice })}
      />
    </>
  )
}
