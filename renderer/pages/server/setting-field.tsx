import { Checkbox, NumberInput, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { textProps } from '../../components/field-props.ts'
import type { ServerSettingDto } from '../../../shared/dtos/server-setting.ts'
import { PasswordField } from '../../components/password-fields.tsx'
import * as t from '../../texts.ts'
import classes from './server-page.module.css'
import { sizeKeys } from './use-server-settings.ts'

const mebibyte = 1024 ** 2

interface SettingFieldProps {
  setting: ServerSettingDto
  /** Typed text; undefined while unchanged, null for a reset. */
  typed: string | null | undefined
  isDisabled: boolean
  problem: string | undefined
  onChange: (value: string | null | undefined) => void
}

/** Number of a field; file sizes are typed in MiB. */
const shownNumber = (key: string, text: string) =>
  sizeKeys.has(key) && text !== '' ? String(Math.round((Number(text) / mebibyte) * 100) / 100) : text
const storedNumber = (key: string, shown: number | string) =>
  sizeKeys.has(key) && shown !== '' ? String(Math.round(Number(shown) * mebibyte)) : String(shown)

/** Source of the value: the variables that decide it, or the default, with a reset of a stored value. */
function Origin({ setting, typed, isDisabled, onChange }: Omit<SettingFieldProps, 'problem'>) {
  const { key, lockedBy, isStored, defaultValue } = setting
  const [label = key] = t.server.fields[key] ?? []
  const parts: ReactNode[] = []
  if (lockedBy.length > 0) {
    parts.push(`${t.server.lockedBy(lockedBy.join(', '))}${isStored ? ` ${t.server.storedUnused}` : ''}`)
  } else if (defaultValue !== null) {
    parts.push(t.server.isDefault(t.server.switches[defaultValue] ?? shownNumber(key, defaultValue)))
  }
  if (isStored && typed !== null && !isDisabled) {
    parts.push(
      <button type="button" className="link-button" aria-label={t.server.reset(label)} onClick={() => onChange(null)}>
        {t.server.resetShort}
      </button>,
    )
  }
  return parts.length === 0 ? null : (
    <span className={`${classes.origin} small muted`}>
      {parts.map((part, index) => (
        <span key={index}>{part}</span>
      ))}
    </span>
  )
}

/** Field of a setting: label, control, one line of why, the default or who decides it. */
export function SettingField(props: SettingFieldProps) {
  const { setting, typed, isDisabled, problem, onChange } = props
  const { key, type, isSecret, lockedBy, source } = setting
  const [label = key, hint = ''] = t.server.fields[key] ?? []
  const isLocked = lockedBy.length > 0
  const inForce = setting.value ?? ''
  const text = typed === undefined ? inForce : (typed ?? setting.defaultValue ?? '')
  const change = (value: string) => onChange(value === inForce && !isSecret ? undefined : value)
  const shared = { label, disabled: isDisabled || isLocked, error: problem }
  const description = hint || undefined
  return (
    <div className={classes.field} data-choice={type === 'bool' || undefined}>
      {type === 'bool' ? (
        <Checkbox
          {...shared}
          description={description}
          checked={text.toLowerCase() === 'true'}
          onChange={(event) => change(String(event.currentTarget.checked))}
        />
      ) : isSecret ? (
        <PasswordField
          {...shared}
          description={description}
          autoComplete="off"
          placeholder={source === 'stored' && typed !== null ? t.server.stored : ''}
          value={typed ?? ''}
          onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
        />
      ) : type === 'int' || type === 'long' ? (
        <NumberInput
          {...shared}
          description={description}
          min={0}
          allowDecimal={sizeKeys.has(key)}
          hideControls
          value={shownNumber(key, text)}
          onChange={(value) => change(storedNumber(key, value))}
        />
      ) : (
        <TextInput
          {...shared}
          description={description}
          autoComplete="off"
          spellCheck={false}
          {...textProps(text, change)}
        />
      )}
      <Origin setting={setting} typed={typed} isDisabled={isDisabled} onChange={onChange} />
    </div>
  )
}
