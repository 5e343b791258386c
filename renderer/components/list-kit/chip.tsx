import type { ReactNode } from 'react'
import listPage from '../list-page.module.css'

interface ChipProps {
  isOn: boolean
  /** Number of things that the filter shows. */
  count?: number | undefined
  onClick: () => void
  children: ReactNode
}

/** Filter that a click switches. */
export const Chip = ({ isOn, count, onClick, children }: ChipProps) => (
  <button type="button" className={listPage.chip} aria-pressed={isOn} onClick={onClick}>
    {children}
    {count !== undefined && <span className="tabular muted">{count.toLocaleString()}</span>}
  </button>
)
