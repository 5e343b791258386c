import { exactTime, moment } from '../text/format.ts'

interface MomentProps {
  at: string
  /** Sentence about the time. */
  says?: (time: string) => string
}

/** Time of an event; the tooltip shows the exact time with zone. */
export function Moment({ at, says = (time) => time }: MomentProps) {
  const then = Date.parse(at)
  return (
    <time dateTime={at} title={exactTime(then)} className="tabular muted">
      {says(moment(then))}
    </time>
  )
}
