import { useNow } from '../hooks/use-now.ts'
import { exactTime, relativeTime } from '../text/format.ts'

/** Age that is updated every few seconds; the tooltip shows the exact time with zone. */
export function RelativeTime({ at }: { at: string }) {
  const now = useNow()
  const then = Date.parse(at)
  return (
    <time dateTime={at} className="tabular" title={exactTime(then)}>
      {relativeTime(then, now)}
    </time>
  )
}
