import { Alert, Button, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { ApiError } from '../../shared/contract/client.ts'
import { isProofMissing } from '../api/http.ts'
import * as t from '../texts.ts'
import { asSentence } from '../text/format.ts'
import { withDisplayNames } from '../text/permission-names.ts'

/** True for a rejection: what was asked cannot be done as it is. Everything else is a failure of the server or the network. */
const isRejection = (error: unknown) => error instanceof ApiError && error.status < 500

/** Explains a failed request. */
export function problemText(error: unknown) {
  if (!(error instanceof ApiError)) {
    return t.problem.silentShort
  }
  if (isProofMissing(error.problem)) {
    return t.proof.declined
  }
  if (error.status === 403 && error.problem?.code !== 'consent-refused') {
    return t.problem.forbidden
  }
  if (error.status === 429) {
    return t.problem.tooMany
  }
  const fields = Object.values(error.problem?.errors ?? {}).flat()
  return withDisplayNames(fields.length > 0 ? fields.map(asSentence).join(' ') : error.message)
}

interface ProblemAlertProps {
  error: unknown
  title?: string
  onRetry?: () => void
}

/** Id of a request at which the server failed, with which its log can be searched; nothing for a rejection. */
export const FailureId = ({ error }: { error: unknown }) =>
  error instanceof ApiError &&
  !isRejection(error) &&
  error.problem?.traceId && (
    <Text size="xs" c="dimmed" mt={4}>
      {t.common.requestId(error.problem.traceId)}
    </Text>
  )

/** Explains a failed request; only a failure of the server has a heading. */
export const ProblemAlert = ({ error, title, onRetry }: ProblemAlertProps) => (
  <Alert
    color="danger"
    title={title ?? (isRejection(error) ? undefined : t.problem.failed)}
    icon={<IconAlertCircle size={18} />}
    role="alert"
  >
    {problemText(error)}
    <FailureId error={error} />
    {onRetry && (
      <Button variant="default" mt="xs" display="block" onClick={onRetry}>
        {t.common.retry}
      </Button>
    )}
  </Alert>
)
