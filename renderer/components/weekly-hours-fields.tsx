import { Checkbox, Group, Select, TextInput } from '@mantine/core'
import type { WeeklyHours } from '../../shared/dtos/weekly-hours.ts'
import { weekdayName } from '../text/format.ts'
import * as t from '../texts.ts'
import { textProps } from './field-props.ts'

const days = [1, 2, 3, 4, 5, 6, 7]

interface WeeklyHoursFieldsProps {
  value: WeeklyHours
  onChange: (changes: Partial<WeeklyHours>) => void
}

/** Times, time zone and days of hours that recur each week. */
export function WeeklyHoursFields({ value, onChange }: WeeklyHoursFieldsProps) {
  return (
    <>
      <Group gap="sm" align="flex-end">
        <TextInput type="time" label={t.weeklyHours.from} {...textProps(value.from, (from) => onChange({ from }))} />
        <TextInput type="time" label={t.weeklyHours.to} {...textProps(value.to, (to) => onChange({ to }))} />
        <Select
          label={t.weeklyHours.timeZone}
          searchable
          allowDeselect={false}
          data={[...new Set([value.timeZone, ...Intl.supportedValuesOf('timeZone')])]}
          limit={100}
          value={value.timeZone}
          onChange={(timeZone) => timeZone !== null && onChange({ timeZone })}
        />
      </Group>
      <Checkbox.Group
        label={t.weeklyHours.days}
        value={value.days.map(String)}
        onChange={(chosen) => onChange({ days: days.filter((day) => chosen.includes(String(day))) })}
      >
        <Group gap="sm" mt={4}>
          {days.map((day) => (
            <Checkbox key={day} value={String(day)} label={weekdayName(day)} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  )
}
