import { Alert, Button, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { ApiError } from '../../shared/contract/client.ts'
import { isProofMissing } from '../api/http.ts'
import { en as t } from '../strings/en.ts'

/** Explains a failed request. */
export function problemText(error: unknown) {
  if (!(error instanceof ApiError)) {
    return t.problem.silentShort
  }
  if (isProofMissing(error.problem)) {
    return t.proof.declined
  }
  if (error.status === 403) {
    return t.problem.forbidden
  }
  if (error.status === 429) {
    return t.problem.tooMany
  }
  const fields = Object.values(error.problem?.errors ?? {}).flat()
  return fields.length > 0 ? fields.join(' ') : error.message
}

interface ProblemAlertProps {
  error: unknown
  title?: string
  onRetry?: () => void
}

export const ProblemAlert = ({ error, title = t.problem.failed, onRetry }: ProblemAlertProps) => (
  <Alert color="danger" title={title} icon={<IconAlertCircle size={18} />} role="alert">
    {problemText(error)}
    {error instanceof ApiError && error.problem?.traceId && (
      <Text size="xs" c="dimmed" mt={4}>
        {t.common.requestId(error.problem.traceId)}
      </Text>
    )}
    {onRetry && (
      <Button variant="default" mt="xs" display="block" onClick={onRetry}>
        {t.common.retry}
      </Button>
    )}
  </Alert>
)
