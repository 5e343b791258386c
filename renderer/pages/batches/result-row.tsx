import { Loader } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { TextLink } from '../../components/links.tsx'
import type { BatchDto, BatchResultDto } from '../../../shared/dtos/batch.ts'
import { batchQueries } from '../../api/batch-queries.ts'
import { BatchStateMark } from '../../components/batch-counts.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useIsLate } from '../../hooks/use-is-late.ts'
import * as t from '../../texts.ts'
import { percent, workTime } from '../../text/format.ts'
import classes from './batches.module.css'

function Written({ title, copyLabel, text }: { title: string; copyLabel: string; text: string }) {
  return (
    <section className={classes.written} aria-label={title}>
      <div className={classes.writtenHead}>
        <span className="small muted">{title}</span>
        <span title={copyLabel}>
          <CopyButton text={text} />
        </span>
      </div>
      <pre tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </section>
  )
}

function Output({ batchId, deviceId }: { batchId: string; deviceId: string }) {
  const { data, error, isPending, refetch } = useQuery(batchQueries.output(batchId, deviceId))
  const isLate = useIsLate(isPending)
  if (error) {
    return <ProblemAlert error={error} onRetry={() => void refetch()} />
  }
  if (!data) {
    return isLate && <Loader size="xs" />
  }
  return (
    <>
      {data.isCut && <p className="small muted">{t.batches.isCut}</p>}
      {data.output !== '' && <Written title={t.batches.output} copyLabel={t.batches.copyOutput} text={data.output} />}
      {data.errorOutput !== '' && (
        <Written title={t.batches.errorOutput} copyLabel={t.batches.copyErrors} text={data.errorOutput} />
      )}
    </>
  )
}

/** Duration of a device's part; empty if it never started. */
function tookOf({ startedAt, finishedAt, state }: BatchResultDto) {
  if (!startedAt || !finishedAt || state === 'skipped') {
    return ''
  }
  return workTime(Date.parse(finishedAt) - Date.parse(startedAt))
}

interface ResultRowProps {
  id: string
  index: number
  batch: BatchDto
  result: BatchResultDto
  isOpen: boolean
  onToggle: () => void
}

export function ResultRow({ id, index, batch, result, isOpen, onToggle }: ResultRowProps) {
  const { deviceId, deviceName, state, exitCode, lastLine, hasOutput, progress } = result
  const reason = progress === null ? result.reason : t.batches.sending(percent(progress))
  const isCommand = batch.kind === 'run-command'
  const hasEnded = exitCode !== null && lastLine !== null
  return (
    <>
      <button
        type="button"
        id={id}
        data-row={index}
        className={classes.row}
        data-command={isCommand || undefined}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <IconChevronRight size={14} className={classes.chevron} aria-hidden />
        <BatchStateMark state={state} />
        <span className={`${classes.device} truncate`}>{deviceName || t.batches.unnamed}</span>
        {hasEnded ? (
          <span className="truncate">
            {exitCode !== 0 && <span className="muted">{t.batches.exit(exitCode)} · </span>}
            <span className="mono">{lastLine}</span>
          </span>
        ) : (
          <span className="truncate muted">{reason}</span>
        )}
        <span className={`${classes.figure} tabular muted`}>{tookOf(result)}</span>
      </button>
      {isOpen && (
        <div className={classes.details}>
          {reason && exitCode === null && <p>{reason}</p>}
          <p className="small muted">
            {exitCode !== null && `${t.batches.exit(exitCode)} · `}
            <TextLink to={`/devices/${deviceId}`} size="xs">
              {t.batches.openDevice}
            </TextLink>
          </p>
          {hasOutput && <Output batchId={batch.id} deviceId={deviceId} />}
          {isCommand && !hasOutput && exitCode !== null && <p className="muted">{t.batches.noOutput}</p>}
          {isCommand && state === 'running' && <p className="muted">{t.batches.runningHint}</p>}
        </div>
      )}
    </>
  )
}
