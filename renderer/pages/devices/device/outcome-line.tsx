import { Box, CloseButton, Loader } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconClock } from '@tabler/icons-react'
import { useNow } from '../../../hooks/use-now.ts'
import * as t from '../../../texts.ts'
import { moment } from '../../../text/format.ts'
import { isLate, type Outcome } from './outcome.ts'
import { useVisit } from './visit.ts'
import classes from './head.module.css'

function sentenceOf({ action, phase, answer, askedAt, awayAt, doneAt }: Outcome) {
  const texts = t.visit.outcomes[action]
  switch (phase) {
    case 'asking':
      return texts.asking
    case 'waiting':
      return texts.waiting
    case 'away':
      return texts.away(moment(awayAt ?? askedAt))
    case 'done':
      return texts.done(
        t.visit.took(
          (doneAt ?? askedAt) - (action === 'restart' || action === 'safeMode' ? (awayAt ?? askedAt) : askedAt),
        ),
      )
    case 'failed':
      return answer ?? ''
  }
}

const icons = {
  asking: <Loader size={14} aria-hidden />,
  waiting: <Loader size={14} aria-hidden />,
  away: <Loader size={14} aria-hidden />,
  done: <IconCheck size={16} aria-hidden />,
  failed: <IconAlertTriangle size={16} aria-hidden />,
}

/** Outcome of the last action. Stays until it is dismissed or another action starts. */
export function OutcomeLine() {
  const { outcome, dismiss } = useVisit()
  const now = useNow()
  const isOverdue = outcome !== undefined && isLate(outcome, now)
  return (
    <Box miw={0} role="status" data-outcome>
      {outcome && (
        <div className={classes.outcome} data-phase={isOverdue ? 'late' : outcome.phase}>
          <span className={classes.outcomeIcon}>
            {isOverdue ? <IconClock size={16} aria-hidden /> : icons[outcome.phase]}
          </span>
          <div className={classes.outcomeText}>
            <strong>{t.visit[outcome.action === 'refresh' ? 'refreshName' : outcome.action]}</strong>
            <span>
              {outcome.phase !== 'failed' && outcome.answer && `${outcome.answer} `}
              {isOverdue ? t.visit.outcomes[outcome.action].late : sentenceOf(outcome)}
            </span>
          </div>
          <CloseButton size="sm" aria-label={t.visit.dismiss} onClick={dismiss} />
        </div>
      )}
    </Box>
  )
}
