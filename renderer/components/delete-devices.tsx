import { Button, Group, List, Modal, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { api, statusOf } from '../api/http.ts'
import { en as t } from '../strings/en.ts'
import { problemText } from './problem-alert.tsx'

type Deleted = Pick<DeviceResponseDto, 'id' | 'name'>

interface DeleteDevicesProps {
  devices: readonly Deleted[]
  onClose: () => void
  /** The dialog is gone from the page. */
  onClosed?: () => void
  onDeleted: (ids: string[]) => void
}

function DeleteForm({ devices, onClose, onDeleted }: DeleteDevicesProps) {
  const client = useQueryClient()
  const [done, setDone] = useState(0)
  const [failures, setFailures] = useState<string[]>([])
  const remove = useMutation({
    mutationFn: async () => {
      const deleted: string[] = []
      const failed: string[] = []
      for (const { id, name } of devices) {
        try {
          await api.devices.delete({ params: { deviceId: id } })
          deleted.push(id)
        } catch (error) {
          // A device that is already gone counts as deleted.
          if (statusOf(error) === 404) {
            deleted.push(id)
          } else {
            failed.push(`${name}: ${problemText(error)}`)
          }
        }
        setDone(deleted.length + failed.length)
      }
      return { deleted, failed }
    },
    onSuccess: ({ deleted, failed }) => {
      void client.invalidateQueries({ queryKey: ['devices', 'page'] })
      setFailures(failed)
      onDeleted(deleted)
      if (failed.length === 0) {
        onClose()
      }
    },
  })

  if (failures.length > 0) {
    return (
      <Stack>
        <Text>{t.deleteDevices.failed(failures.length)}</Text>
        <List>
          {failures.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.common.close}</Button>
        </Group>
      </Stack>
    )
  }
  return (
    <Stack>
      <Text>{t.deleteDevices.hint}</Text>
      {remove.isPending && devices.length > 1 && (
        <>
          <Progress value={(done / devices.length) * 100} aria-label={t.deleteDevices.progress(done, devices.length)} />
          <Text c="dimmed">{t.deleteDevices.progress(done, devices.length)}</Text>
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t.common.cancel}
        </Button>
        <Button color="danger" loading={remove.isPending} onClick={() => remove.mutate()}>
          {t.deleteDevices.confirm(devices.length)}
        </Button>
      </Group>
    </Stack>
  )
}

/** Asks before devices are deleted, then says what happened to each that stayed. Open while there are devices. */
export const DeleteDevices = (props: DeleteDevicesProps) => (
  <Modal
    opened={props.devices.length > 0}
    onClose={props.onClose}
    onExitTransitionEnd={props.onClosed}
    title={t.deleteDevices.title(props.devices.length, props.devices[0]?.name ?? '')}
  >
    <DeleteForm {...props} />
  </Modal>
)
