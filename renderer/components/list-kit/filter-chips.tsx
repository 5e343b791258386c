import { Chip } from './chip.tsx'
import listPage from '../list-page.module.css'

interface FilterChipsProps<Value extends string> {
  label: string
  chips: readonly { value: Value; label: string; count?: number | undefined }[]
  /** The chip that is on, or an empty string. */
  value: string
  onChange: (value: Value | '') => void
}

/** Chips of which at most one is on. */
export const FilterChips = <Value extends string>({ label, chips, value, onChange }: FilterChipsProps<Value>) => (
  <div className={listPage.chips} role="group" aria-label={label}>
    {chips.map((chip) => {
      const isOn = chip.value === value
      return (
        <Chip key={chip.value} isOn={isOn} count={chip.count} onClick={() => onChange(isOn ? '' : chip.value)}>
          {chip.label}
        </Chip>
      )
    })}
  </div>
)
