import { Box, Button, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { orderedChanges, type OrderedChange, type PowerTiming } from '../../../../shared/dtos/power-order.ts'
import { api } from '../../../api/http.ts'
import { powerQueries } from '../../../api/power-queries.ts'
import { invalidate } from '../../../api/query-client.ts'
import { PowerTimingFields } from '../power-timing-fields.tsx'
import { ProblemAlert, problemText } from '../../../components/problem-alert.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { usePageDevice } from '../../../hooks/use-page-device.ts'
import { exactTime, moment } from '../../../text/format.ts'
import { nameOfDevice } from '../../../text/name-of-device.ts'
import * as t from '../../../texts.ts'
import classes from './head.module.css'

/** Power changes and the order of the device of the page. */
export function useDevicePower() {
  const { device } = usePageDevice()
  return useQuery(powerQueries.device(device.id, device.isOnline ? 'online' : 'offline')).data
}

function useRefresh() {
  const { device } = usePageDevice()
  return () => invalidate(['devices', 'power', device.id])
}

const first: PowerTiming & { change: OrderedChange } = { change: 'restart', when: 'tonight', person: 'not-today' }

function Form({ onClose }: { onClose: () => void }) {
  const { device } = usePageDevice()
  const refresh = useRefresh()
  const [draft, setDraft] = useState(first)
  const change = (changes: Partial<typeof first>) => setDraft((before) => ({ ...before, ...changes }))
  const order = useMutation({
    mutationFn: () => api.devicePages.orderPower({ params: { deviceId: device.id }, body: draft }),
    onSuccess: async () => {
      await refresh()
      onClose()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        order.mutate()
      }}
    >
      <Stack>
        <SegmentedControl
          fullWidth
          aria-label={t.power.change}
          data={orderedChanges.map((value) => ({ value, label: t.power.changes[value] }))}
          value={draft.change}
          onChange={(value) => change({ change: value })}
        />
        <PowerTimingFields value={draft} onChange={change} />
        <Text c="dimmed">{t.power.hint(draft.person)}</Text>
        {order.error && <ProblemAlert error={order.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t.common.cancel}
          </Button>
          <Button type="submit" loading={order.isPending}>
            {t.power.order[draft.change]}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface PowerOrderDialogProps {
  isOpen: boolean
  onClose: () => void
}

/** Dialog that orders a restart or shutdown for later, or now with the person asked. */
export function PowerOrderDialog({ isOpen, onClose }: PowerOrderDialogProps) {
  const { device } = usePageDevice()
  return (
    <Modal opened={isOpen} onClose={onClose} title={t.power.title(nameOfDevice(device))}>
      {isOpen && <Form onClose={onClose} />}
    </Modal>
  )
}

/** Line about the order of the device, with its cancellation; nothing without an order. */
export function PowerOrderLine() {
  const { device, can } = usePageDevice()
  const refresh = useRefresh()
  const now = useNow()
  const order = useDevicePower()?.order
  const cancel = useMutation({
    mutationFn: () => api.devicePages.cancelPower({ params: { deviceId: device.id } }),
    onSettled: refresh,
  })
  if (!order) {
    return null
  }
  const { change, dueAt, isAsking, orderedBy, person } = order
  const at = Date.parse(dueAt)
  return (
    <Box miw={0} data-outcome>
      <div className={classes.outcome} role="group" aria-label={t.power.label}>
        <span className={classes.outcomeIcon}>
          <IconClock size={16} aria-hidden />
        </span>
        <div className={classes.outcomeText}>
          <strong title={exactTime(at)}>
            {at > now ? t.power.due(change, moment(at, now)) : t.power.isDue(change)}
          </strong>
          <span>
            {t.power.details(orderedBy, person)} {isAsking && t.power.isAsking} {!device.isOnline && t.power.offline}
          </span>
          {cancel.error && <span role="alert">{problemText(cancel.error)}</span>}
        </div>
        {can('device.power.manage') && (
          <Button size="compact-sm" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            {t.power.cancel}
          </Button>
        )}
      </div>
    </Box>
  )
}
