import { Alert, Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../../shared/contract/client.ts'
import { ProblemDetails } from '../../../shared/contract/problem.ts'
import { unsubscribePath } from '../../../shared/unsubscribe.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import * as t from '../../texts.ts'

async function turnOff(): Promise<void> {
  const answer = await fetch(unsubscribePath + window.location.search, { method: 'POST' })
  if (!answer.ok) {
    const problem: unknown = await answer.json().catch(() => undefined)
    throw new ApiError(answer.status, ProblemDetails.safeParse(problem).data)
  }
}

/** Turns mail off after a click: programs that check links open this page, too. */
export function Component() {
  usePageTitle(t.unsubscribe.title)
  const request = useMutation({ mutationFn: turnOff })
  return (
    <VisitorCard title={t.unsubscribe.title} intro={t.unsubscribe.intro}>
      <Stack>
        {request.error && <ProblemAlert error={request.error} />}
        {request.isSuccess ? (
          <Alert role="status">{t.unsubscribe.done}</Alert>
        ) : (
          <Button loading={request.isPending} onClick={() => request.mutate()} fullWidth>
            {t.unsubscribe.submit}
          </Button>
        )}
      </Stack>
    </VisitorCard>
  )
}
