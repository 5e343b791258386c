import { CloseButton, NativeSelect, TextInput } from '@mantine/core'
import { IconDeviceDesktop, IconUser, type Icon } from '@tabler/icons-react'
import { textProps } from '../../components/field-props.ts'
import { Chip } from '../../components/list-kit/chip.tsx'
import { DayFilter } from '../../components/list-kit/day-filter.tsx'
import * as t from '../../texts.ts'
import { kindChoices, maxText, type AuditState } from './audit-url.ts'
import classes from './audit.module.css'

interface TextFilterProps {
  label: string
  hint: string
  icon: Icon
  value: string
  onChange: (value: string) => void
}

const TextFilter = ({ label, hint, icon: Sign, value, onChange }: TextFilterProps) => (
  <TextInput
    className={classes.text}
    type="search"
    role="searchbox"
    aria-label={label}
    placeholder={hint}
    maxLength={maxText}
    leftSection={<Sign size={16} stroke={1.6} />}
    rightSection={value && <CloseButton size="sm" aria-label={t.audit.clear(label)} onClick={() => onChange('')} />}
    {...textProps(value, onChange)}
  />
)

interface AuditFilterBarProps {
  state: AuditState
  onChange: (changes: Partial<AuditState>) => void
}

export const AuditFilterBar = ({ state, onChange }: AuditFilterBarProps) => (
  <>
    <TextFilter
      label={t.audit.person}
      hint={t.audit.personHint}
      icon={IconUser}
      value={state.person}
      onChange={(person) => onChange({ person })}
    />
    <TextFilter
      label={t.common.device}
      hint={t.audit.deviceHint}
      icon={IconDeviceDesktop}
      value={state.device}
      onChange={(device) => onChange({ device })}
    />
    <NativeSelect
      className={classes.kinds}
      aria-label={t.common.kind}
      data={kindChoices}
      {...textProps(state.kind, (kind) => onChange({ kind }))}
    />
    {(['from', 'to'] as const).map((end) => (
      <DayFilter key={end} label={t.audit[end]} value={state[end]} onChange={(day) => onChange({ [end]: day })} />
    ))}
    <Chip isOn={state.isFailure} onClick={() => onChange({ isFailure: !state.isFailure })}>
      {t.audit.failures}
    </Chip>
  </>
)
