import { useNow } from '../hooks/use-now.ts'
import { exactTime, relativeTime } from '../strings/format.ts'

/** An age that stays right; the exact moment with its zone on hover. */
export function RelativeTime({ at }: { at: string }) {
  const now = useNow()
  const then = Date.parse(at)
  return (
    <time dateTime={at} className="tabular" title={exactTime(then)}>
      {relativeTime(then, now)}
    </time>
  )
}
