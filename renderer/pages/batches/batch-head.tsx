import { Progress } from '@mantine/core'
import type { BatchDto } from '../../../shared/dtos/batch.ts'
import { BatchCounts } from '../../components/batch-counts.tsx'
import { endedOf, totalOf } from '../../components/batch-kinds.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { en as t } from '../../strings/en.ts'
import { workTime } from '../../strings/format.ts'
import classes from './batches.module.css'

/** Command or tag, progress and times of a batch. */
export function BatchHead({ batch }: { batch: BatchDto }) {
  const { command, tagName, timeLimitSeconds, createdAt, finishedAt } = batch
  const [ended, total] = [endedOf(batch), totalOf(batch)]
  const isRunning = finishedAt === null
  const took = finishedAt && `${t.batches.took} ${workTime(Date.parse(finishedAt) - Date.parse(createdAt))}`
  return (
    <>
      {command !== null && (
        <div className={classes.command}>
          {/* Long commands scroll, so that the rows below stay visible. */}
          <pre tabIndex={0} aria-label={t.batches.command}>
            {command}
          </pre>
          <CopyButton text={command} />
        </div>
      )}
      {tagName !== null && <p className={`${classes.fact} mono`}>{tagName}</p>}
      <div className={classes.progress} role="status">
        <Progress
          value={(ended / total) * 100}
          w={180}
          animated={isRunning}
          color={isRunning ? undefined : 'gray'}
          aria-label={t.batches.progress(ended, total)}
        />
        <span className="tabular">{t.batches.progress(ended, total)}</span>
        <BatchCounts counts={batch.counts} />
      </div>
      <p className={`${classes.fact} small muted`}>
        {t.batches.started} <RelativeTime at={createdAt} />
        {took && ` · ${took}`}
        {timeLimitSeconds !== null && ` · ${t.batches.limit(timeLimitSeconds)}`}
      </p>
    </>
  )
}
