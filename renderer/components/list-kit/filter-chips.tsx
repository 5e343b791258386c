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
    {chips.map((chip) => (
      <button
        key={chip.value}
        type="button"
        className={listPage.chip}
        aria-pressed={chip.value === value}
        onClick={() => onChange(chip.value === value ? '' : chip.value)}
      >
        {chip.label}
        {chip.count !== undefined && <span className="tabular muted">{chip.count.toLocaleString()}</span>}
      </button>
    ))}
  </div>
)
