import { Button } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { retryConnection } from '../api/hubs.ts'
import { useIsLate } from '../hooks/use-is-late.ts'
import { useLiveState } from '../hooks/use-live-state.ts'
import * as t from '../texts.ts'
import { moment } from '../text/format.ts'
import classes from './shell.module.css'

/** Seconds until a time, counted down. */
function useSecondsUntil(at: number) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(1, Math.ceil((at - now) / 1_000))
}

const NextTry = ({ at }: { at: number }) => <>{t.shell.nextTry(useSecondsUntil(at))}</>

/** Shows that the connection is lost: since when, the effect on the page, and the next attempt. */
export function ConnectionBanner() {
  const { state, since, nextTryAt } = useLiveState()
  const isLate = useIsLate(state === 'reconnecting')
  if (!isLate) {
    return null
  }
  return (
    <div className={classes.banner}>
      <IconPlugConnectedX size={18} aria-hidden />
      <span role="alert">
        <strong>{t.shell.away(moment(since))}</strong> {t.shell.awayHint}
      </span>
      <span className="tabular">{nextTryAt === undefined ? t.shell.trying : <NextTry at={nextTryAt} />}</span>
      <Button size="compact-sm" variant="default" disabled={nextTryAt === undefined} onClick={retryConnection}>
        {t.shell.retry}
      </Button>
    </div>
  )
}
