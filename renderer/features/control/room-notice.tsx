import { Button, Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useNow } from '../../hooks/use-now.ts'
import { en as t } from '../../strings/en.ts'
import { moment, relativeTime } from '../../strings/format.ts'
import type { ControlState } from './control-session.ts'
import classes from './room.module.css'

interface RoomNoticeProps {
  state: ControlState
  onAgain: () => void
  onLeave: () => void
}

/** Seconds since a moment, counted on screen. */
function useSecondsSince(since: number) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.floor((now - since) / 1000))
}

function Asking({ since, onLeave }: { since: number; onLeave: () => void }) {
  const seconds = useSecondsSince(since)
  return (
    <div className={classes.notice} role="status">
      <Loader size="sm" />
      <h2>{t.control.asking}</h2>
      <p className="muted">{t.control.askingHint(seconds)}</p>
      <Button variant="default" onClick={onLeave}>
        {t.control.cancel}
      </Button>
    </div>
  )
}

/** What stands over the picture while the session does not run. */
export function RoomNotice({ state, onAgain, onLeave }: RoomNoticeProps) {
  const now = useNow()
  const { phase, hasPicture } = state
  switch (phase.name) {
    case 'asking':
      return <Asking since={phase.since} onLeave={onLeave} />
    case 'connecting':
      return (
        <div className={classes.notice} role="status">
          <Loader size="sm" />
          <p>{t.control.connecting}</p>
        </div>
      )
    case 'running':
      return hasPicture ? null : (
        <div className={classes.notice} role="status">
          <Loader size="sm" />
          <p>{t.control.waitingPicture}</p>
        </div>
      )
    case 'lost':
      return (
        <div className={classes.notice} role="alert">
          <Loader size="sm" />
          <h2>{t.control.reconnecting}</h2>
          <p>{phase.why}</p>
          {hasPicture && (
            <p className="muted">{t.control.pictureAge(moment(phase.since), relativeTime(phase.since, now))}</p>
          )}
          <Button variant="default" onClick={onLeave}>
            {t.control.toCards}
          </Button>
        </div>
      )
    case 'over':
      return (
        <div className={classes.notice} role="alert">
          <h2>{t.control.over}</h2>
          <p>{phase.why}</p>
          <div className={classes.noticeActions}>
            <Button onClick={onAgain}>{t.control.connectAgain}</Button>
            <Button variant="default" onClick={onLeave}>
              {t.control.toCards}
            </Button>
          </div>
        </div>
      )
  }
}
