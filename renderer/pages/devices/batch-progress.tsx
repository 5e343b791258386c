import { CloseButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ButtonLink } from '../../components/links.tsx'
import { batchQueries } from '../../api/batch-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { BatchBar } from '../../components/batch-bar.tsx'
import { BatchCounts } from '../../components/batch-counts.tsx'
import { totalOf } from '../../components/batch-kinds.ts'
import * as t from '../../texts.ts'
import listPage from '../../components/list-page.module.css'

/** Progress of the batch started last from this list, with a link to its results. */
export function BatchProgress({ batchId, onHide }: { batchId: string; onHide: () => void }) {
  const { data } = useQuery(batchQueries.batch(batchId))
  const isFinished = data !== undefined && data.batch.finishedAt !== null
  useEffect(() => {
    if (isFinished) {
      // Tags and online states may have changed.
      void invalidate(['devices', 'page'])
    }
  }, [isFinished])
  const batch = data?.batch
  return (
    <div className={listPage.bar} role="status">
      {batch && (
        <>
          <span>{t.batches.titles[batch.kind](totalOf(batch))}</span>
          <BatchBar batch={batch} width={120} />
          <BatchCounts counts={batch.counts} />
        </>
      )}
      <ButtonLink to={`/batches/${batchId}`} variant="subtle" size="xs">
        {t.batches.showJob}
      </ButtonLink>
      <CloseButton size="sm" aria-label={t.batches.hideProgress} onClick={onHide} />
    </div>
  )
}
