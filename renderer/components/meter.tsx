import { percent } from '../text/format.ts'
import classes from './meter.module.css'

interface MeterProps {
  label: string
  /** 0 to 1 */
  value: number
  /** Replaces the percentage in the tooltip and for screen readers. */
  detail?: string
  isWide?: boolean
}

const levelOf = (value: number) => (value >= 0.95 ? 'danger' : value >= 0.85 ? 'warning' : undefined)

// Scrolling a list creates and removes hundreds of meters: plain elements and a native tooltip keep that cheap.
/** Thin bar with a percentage. */
export const Meter = ({ label, value, detail, isWide }: MeterProps) => (
  <div
    className={classes.meter}
    data-wide={isWide || undefined}
    role="meter"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={Math.round(value * 100)}
    aria-valuetext={detail}
    title={detail}
  >
    <svg className={classes.bar} data-level={levelOf(value)} aria-hidden preserveAspectRatio="none" viewBox="0 0 100 1">
      <rect width={100} height={1} className={classes.track} />
      <rect width={Math.round(value * 100)} height={1} className={classes.fill} />
    </svg>
    <span className={classes.number}>{percent(value)}</span>
  </div>
)
