import { Button, Group, Loader } from '@mantine/core'
import { ConsentLines } from '../../components/consent-wait.tsx'
import { useIsAway } from '../../hooks/use-live-state.ts'
import { useNow } from '../../hooks/use-now.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import * as t from '../../texts.ts'
import { moment, relativeTime } from '../../text/format.ts'
import type { ConsentQuestion, ControlState } from './control-state.ts'
import classes from './room.module.css'

interface RoomNoticeProps {
  state: ControlState
  onAgain: () => void
  onLeave: () => void
}

function Asking({ question, onLeave }: { question: ConsentQuestion; onLeave: () => void }) {
  const { device } = usePageDevice()
  return (
    <div className={classes.notice} role="status">
      <Loader size="sm" />
      <ConsentLines device={device} {...question} />
      <Button variant="default" onClick={onLeave}>
        {t.common.cancel}
      </Button>
    </div>
  )
}

/** Notice over the picture while the session is not open. */
export function RoomNotice({ state, onAgain, onLeave }: RoomNoticeProps) {
  const now = useNow()
  const isAway = useIsAway()
  const { session, hasPicture } = state
  switch (session.phase) {
    case 'asking':
      return <Asking question={session.question} onLeave={onLeave} />
    case 'idle':
    case 'connecting':
      return (
        <div className={classes.notice} role="status">
          <Loader size="sm" />
          <p>{t.viewer.phases.connecting}</p>
        </div>
      )
    case 'open':
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
          <h2>{t.viewer.phases.lost}</h2>
          <p>{isAway ? t.viewer.serverAway : t.control.lost}</p>
          {hasPicture && (
            <p className="muted">{t.control.pictureAge(moment(session.since), relativeTime(session.since, now))}</p>
          )}
          <Button variant="default" onClick={onLeave}>
            {t.control.toCards}
          </Button>
        </div>
      )
    case 'ended':
      return (
        <div className={classes.notice} role="alert">
          <h2>{t.viewer.phases.ended}</h2>
          <p>{session.reason}</p>
          <Group gap={8} justify="center">
            <Button onClick={onAgain}>{t.viewer.connectAgain}</Button>
            <Button variant="default" onClick={onLeave}>
              {t.control.toCards}
            </Button>
          </Group>
        </div>
      )
  }
}
