import { Button } from '@mantine/core'
import { en as t } from '../../../strings/en.ts'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import { useVisit } from '../visit.ts'

/** Updates the agent to the offered version; the head of the page shows the progress. */
export function UpdateButton() {
  const { device, can } = usePageDevice()
  const { act, outcome } = useVisit()
  const isUnderWay = outcome?.action === 'update' && outcome.phase !== 'done' && outcome.phase !== 'failed'
  return device.isOnline && can('device.agent.update') ? (
    <Button
      size="compact-sm"
      variant="light"
      loading={isUnderWay}
      title={t.device.updateHint}
      onClick={() => act('update')}
    >
      {t.visit.updateTo}
    </Button>
  ) : undefined
}
