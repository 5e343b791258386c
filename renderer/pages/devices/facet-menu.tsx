import { fold } from '../../../shared/fold.ts'
import { Button, Checkbox, Popover, TextInput } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import type { FacetValueDto } from '../../../shared/api/appliance-device-search.ts'
import { hasValue, noneValue, type DeviceQuery } from '../../../shared/device-query.ts'
import listPage from '../../components/list-page.module.css'
import * as t from '../../texts.ts'
import classes from './devices-page.module.css'

interface FacetMenuProps {
  field: keyof typeof t.devices.fields
  query: DeviceQuery
  values: readonly FacetValueDto[]
  onToggle: (value: string) => void
  onClear: () => void
}

/** From this number of values on, the menu can be searched. */
const searchedFrom = 8

/** Chip of a field: a menu of its values with the number of devices. */
export function FacetMenu({ field, query, values, onToggle, onClear }: FacetMenuProps) {
  const [typed, setTyped] = useState('')
  const label = t.devices.fields[field]
  const textOf = (value: string) =>
    value === noneValue
      ? t.devices.none
      : field === 'system'
        ? (t.devices.systems[value.toLowerCase()] ?? value)
        : value
  const chosen = query.terms.filter((term) => term.field === field && !term.isExcluded).flatMap((term) => term.values)
  // Chosen values stay in the menu even if no device has them any more.
  const missing = chosen
    .filter((one) => !values.some(({ value }) => value.toLowerCase() === one.toLowerCase()))
    .map((value) => ({ value, count: 0 }))
  const shown = [...values, ...missing].filter(({ value }) => fold(textOf(value)).includes(fold(typed)))
  return (
    <Popover position="bottom-start" withinPortal trapFocus returnFocus onClose={() => setTyped('')}>
      <Popover.Target>
        <button type="button" className={listPage.chip} data-active={chosen.length > 0 || undefined}>
          {chosen.length > 0 ? `${label}: ${chosen.map(textOf).join(', ')}` : label}
          <IconChevronDown size={14} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown className={classes.choices} aria-label={label}>
        {values.length >= searchedFrom && (
          <TextInput
            size="xs"
            aria-label={t.devices.findValue(label)}
            placeholder={t.devices.findValue(label)}
            {...textProps(typed, setTyped)}
          />
        )}
        <div className={classes.values}>
          {shown.map(({ value, count }) => (
            <Checkbox
              key={value}
              size="xs"
              label={
                <span className={classes.value}>
                  <span className="truncate">{textOf(value)}</span>
                  <span className="tabular muted">{count.toLocaleString()}</span>
                </span>
              }
              classNames={{ labelWrapper: classes.valueLabel! }}
              checked={hasValue(query, field, value)}
              onChange={() => onToggle(value)}
            />
          ))}
          {shown.length === 0 && <span className="small muted">{t.devices.noValues}</span>}
        </div>
        {chosen.length > 0 && (
          <Button variant="subtle" size="compact-sm" onClick={onClear}>
            {t.devices.showAll}
          </Button>
        )}
      </Popover.Dropdown>
    </Popover>
  )
}
