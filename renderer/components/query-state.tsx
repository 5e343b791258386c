import { Skeleton } from '@mantine/core'
import { useIsLate } from '../hooks/use-is-late.ts'
import { ProblemAlert } from './problem-alert.tsx'

interface QueryStateProps {
  query: { error: unknown; isPending: boolean; refetch: () => unknown }
  /** Height of what is loading, in px. */
  height: number
}

/** Instead of content that is not loaded: why loading failed, or its room, drawn once loading takes long. */
export function QueryState({ query: { error, isPending, refetch }, height }: QueryStateProps) {
  const isLate = useIsLate(isPending)
  return error ? (
    <ProblemAlert error={error} onRetry={() => void refetch()} />
  ) : (
    isPending && (
      <div className="loading" style={{ minHeight: height }}>
        {isLate && <Skeleton height={height} />}
      </div>
    )
  )
}
