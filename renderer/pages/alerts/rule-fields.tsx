import { Checkbox, NativeSelect, NumberInput, Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import {
  alertScopes,
  type AlertCondition,
  type AlertReceivers,
  type AlertScope,
} from '../../../shared/dtos/alert-rule.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { rightsQueries, type FindKind } from '../../api/rights-queries.ts'
import { checkProps, textProps } from '../../components/field-props.ts'
import { WeeklyHoursFields } from '../../components/weekly-hours-fields.tsx'
import { SearchSelect } from '../../components/search-select.tsx'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import { minuteChoices } from './conditions.ts'

interface FieldProps<Value> {
  value: Value
  onChange: (value: Value) => void
}

/** Settings of a condition; none for one that has no settings. */
export function ConditionFields({ value, onChange }: FieldProps<AlertCondition>) {
  return (
    <>
      {'percent' in value && (
        <NumberInput
          label={t.alertRules.percent}
          min={1}
          max={100}
          clampBehavior="strict"
          value={value.percent}
          onChange={(percent) => onChange({ ...value, percent: Number(percent) })}
        />
      )}
      {'days' in value && (
        <NumberInput
          label={t.alertRules.days}
          min={1}
          max={90}
          clampBehavior="strict"
          value={value.days}
          onChange={(days) => onChange({ ...value, days: Number(days) })}
        />
      )}
      {'count' in value && (
        <NumberInput
          label={t.alertRules.count}
          min={3}
          max={1000}
          value={value.count}
          onChange={(count) => onChange({ ...value, count: Number(count) })}
        />
      )}
      {'minutes' in value && (
        <NativeSelect
          label={'count' in value ? t.alertRules.within : t.alertRules.minutes}
          data={minuteChoices(value.minutes)
            .filter((minutes) => !('count' in value) || minutes <= 24 * 60)
            .map((minutes) => ({ value: String(minutes), label: t.alertRules.time(minutes) }))}
          {...textProps(String(value.minutes), (minutes) => onChange({ ...value, minutes: Number(minutes) }))}
        />
      )}
      {'includesPlanned' in value && (
        <Checkbox
          label={t.alertRules.includesPlanned}
          {...checkProps(value.includesPlanned, (includesPlanned) => onChange({ ...value, includesPlanned }))}
        />
      )}
      {'hours' in value && (
        <WeeklyHoursFields
          value={value.hours}
          onChange={(changes) => onChange({ ...value, hours: { ...value.hours, ...changes } })}
        />
      )}
    </>
  )
}

/** Kinds of things that are found by name at the server. */
const foundKinds: Readonly<Partial<Record<AlertScope['kind'], FindKind>>> = {
  customer: 'CustomerTenant',
  group: 'DeviceGroup',
  device: 'Device',
}

/** Devices of a rule: a kind of place, and the place. */
export function RuleScopeField({ value, onChange }: FieldProps<AlertScope>) {
  const { kind, id } = value
  const found = foundKinds[kind]
  const tags = useQuery({ ...organizationQueries.tagOverview, enabled: kind === 'tag' }).data ?? []
  const views = useQuery({ ...organizationQueries.deviceViews, enabled: kind === 'view' }).data?.items ?? []
  const { data: names } = useQuery(rightsQueries.names(found && id !== null ? [id] : []))
  const label = t.alertRules.scopes[kind]
  const listed = kind === 'tag' ? tags : views
  return (
    <Stack gap={8}>
      <NativeSelect
        label={t.alertRules.where}
        data={alertScopes.map((each) => ({ value: each, label: t.alertRules.scopes[each] }))}
        {...textProps(kind, (chosen) => {
          const next = alertScopes.find((each) => each === chosen)
          if (next) {
            onChange({ kind: next, id: null })
          }
        })}
      />
      {found && (
        <SearchSelect
          key={kind}
          label={label}
          kind={found}
          max={1}
          value={id === null ? [] : [{ kind: found, id, name: names?.get(id) ?? '…' }]}
          onChange={(choices) => onChange({ kind, id: choices[0]?.id ?? null })}
        />
      )}
      {(kind === 'tag' || kind === 'view') && (
        <Select
          label={label}
          searchable
          allowDeselect={false}
          placeholder={t.rights.pick}
          data={listed.map((each) => ({ value: each.id, label: visibleName(each.name) }))}
          value={id}
          onChange={(chosen) => onChange({ kind, id: chosen })}
        />
      )}
    </Stack>
  )
}

const receiverKinds = ['on-call', 'administrators', 'people'] as const

/** People whom a rule notifies. */
export function ReceiversField({ value, onChange }: FieldProps<AlertReceivers>) {
  const { data: names } = useQuery(rightsQueries.names(value.userIds))
  return (
    <Stack gap={8}>
      <NativeSelect
        label={t.alertRules.tells}
        description={t.alertRules.receiversHint}
        data={receiverKinds.map((kind) => ({ value: kind, label: t.alertRules.receivers[kind] }))}
        {...textProps(value.kind, (chosen) => {
          const kind = receiverKinds.find((each) => each === chosen)
          if (kind) {
            onChange({ kind, userIds: [] })
          }
        })}
      />
      {value.kind === 'people' && (
        <SearchSelect
          label={t.alertRules.people}
          kind="Principal"
          value={value.userIds.map((id) => ({ kind: 'User', id, name: names?.get(id) ?? '…' }))}
          onChange={(choices) =>
            onChange({ kind: 'people', userIds: choices.filter(({ kind }) => kind === 'User').map(({ id }) => id) })
          }
        />
      )}
    </Stack>
  )
}
