import { Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { chunksOf } from '../../../shared/chunks.ts'
import { maxIds } from '../../../shared/contract/fields.ts'
import { api } from '../../api/http.ts'
import { invalidate } from '../../api/query-client.ts'
import * as t from '../../texts.ts'
import { BulkSummary, CountField, mustBeCounted, useBulk, type BulkDevice } from '../../components/bulk-summary.tsx'
import { FailedList } from '../../components/failed-list.tsx'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import { nameOfDevice } from '../../text/name-of-device.ts'

interface DeleteDevicesProps {
  devices: readonly BulkDevice[]
  /** Selected devices that the list does not show. */
  hidden?: readonly BulkDevice[]
  onClose: () => void
  /** Called when the closing animation has ended. */
  onClosed?: () => void
  onDeleted: (ids: string[]) => void
}

/** Deletes devices in batches. Devices that are already gone count as deleted. */
async function deleteAll(devices: readonly BulkDevice[]) {
  const refused = new Set<string>()
  for (const some of chunksOf(devices, maxIds)) {
    const { failureIds } = await api.devices.deleteMany({ body: { deviceIds: some.map(({ id }) => id) } })
    failureIds.forEach((id) => refused.add(id))
  }
  const existing = new Set(refused.size > 0 ? (await api.devices.summary({})).map(({ id }) => id) : [])
  const failed = devices.filter(({ id }) => refused.has(id) && existing.has(id))
  return { failed, deleted: devices.filter((device) => !failed.includes(device)).map(({ id }) => id) }
}

function DeleteForm({ devices, hidden = [], onClose, onDeleted }: DeleteDevicesProps) {
  const [failed, setFailed] = useState<readonly BulkDevice[]>([])
  const [typedCount, setTypedCount] = useState('')
  const bulk = useBulk(devices, 'device.delete')
  const number = bulk.left.length
  const isCounted = mustBeCounted(number)
  const handleDeleted = (outcome: Awaited<ReturnType<typeof deleteAll>>) => {
    void invalidate(['devices', 'page'])
    setFailed(outcome.failed)
    onDeleted(outcome.deleted)
    if (outcome.failed.length === 0) {
      onClose()
    }
  }

  if (failed.length > 0) {
    const items = failed.map((device) => ({ id: device.id, text: nameOfDevice(device) }))
    return <FailedList text={t.deleteDevices.failed(failed.length)} items={items} onClose={onClose} />
  }
  return (
    <DialogForm
      submit={t.deleteDevices.confirm(number)}
      isDangerous
      canSubmit={number > 0 && (!isCounted || typedCount === String(number))}
      save={() => deleteAll(devices)}
      onSaved={handleDeleted}
      onCancel={onClose}
    >
      {(devices.length > 1 || hidden.length > 0) && <BulkSummary bulk={bulk} hidden={hidden} />}
      <Text>{t.deleteDevices.hint}</Text>
      {isCounted && <CountField number={number} value={typedCount} onChange={setTypedCount} />}
    </DialogForm>
  )
}

/** Confirms the deletion of devices, then lists devices that were not deleted. Open while `devices` is not empty. */
export const DeleteDevices = (props: DeleteDevicesProps) => (
  <Modal
    opened={props.devices.length > 0}
    onClose={props.onClose}
    onExitTransitionEnd={props.onClosed}
    title={t.deleteDevices.title(props.devices.length, props.devices[0] ? nameOfDevice(props.devices[0]) : '')}
  >
    <DeleteForm {...props} />
  </Modal>
)
