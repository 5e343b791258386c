import { TextInput } from '@mantine/core'
import listPage from '../list-page.module.css'

interface DayFilterProps {
  label: string
  /** As in addresses: `2026-01-31`, or empty. */
  value: string
  onChange: (day: string) => void
}

/** First or last day of what a list shows. */
export const DayFilter = ({ label, value, onChange }: DayFilterProps) => (
  <label className={listPage.day}>
    <span className="small muted">{label}</span>
    <TextInput
      type="date"
      min="2000-01-01"
      max="9999-12-31"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  </label>
)
