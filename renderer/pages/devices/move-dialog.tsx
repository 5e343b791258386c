import { Modal, Select } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { maxIds } from '../../../shared/contract/fields.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { api } from '../../api/http.ts'
import { organizeQueries } from '../../api/organize-queries.ts'
import { DialogForm } from '../../components/list-kit/dialog-form.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'

const noCustomer = 'none'

/** Ids in lists that one request may name. */
const chunks = (ids: readonly string[]) =>
  Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, index) => ids.slice(index * maxIds, (index + 1) * maxIds))

/** Gives devices to a customer, or takes them from theirs. */
async function moveTo(tenantId: string, customerId: string | null, devices: readonly DeviceResponseDto[]) {
  if (customerId !== null) {
    for (const deviceIds of chunks(devices.map(({ id }) => id))) {
      await api.customers.assignDevices({ tenantId, params: { customerId }, body: { deviceIds } })
    }
    return
  }
  for (const [owner, owned] of Map.groupBy(devices, (device) => device.customerId)) {
    for (const removeDeviceIds of owner === null ? [] : chunks(owned.map(({ id }) => id))) {
      await api.customers.assignDevices({ tenantId, params: { customerId: owner! }, body: { removeDeviceIds } })
    }
  }
}

/** Gives each device back to the customer that it had; `now` is the customer that all have. */
async function moveBack(tenantId: string, now: string | null, devices: readonly DeviceResponseDto[]) {
  for (const [owner, owned] of Map.groupBy(devices, (device) => device.customerId)) {
    await moveTo(tenantId, owner, owner === null ? owned.map((device) => ({ ...device, customerId: now })) : owned)
  }
}

interface MoveFormProps {
  devices: readonly DeviceResponseDto[]
  onClose: () => void
}

function MoveForm({ devices, onClose }: MoveFormProps) {
  const client = useQueryClient()
  const { user, can } = useSession()
  const { tenantId } = user
  const mayMove = can('tenant.customers.write') && can('tenant.customers.read')
  const mayGroup = can('device-group.assign-devices') && can('tenant.device-groups.read')
  const customers = useQuery({ ...organizeQueries.customers(tenantId), enabled: mayMove }).data ?? []
  const groups = useQuery({ ...organizeQueries.organizedGroups(tenantId), enabled: mayGroup }).data ?? []
  const [customer, setCustomer] = useState<string | null>(null)
  const [groupId, setGroupId] = useState<string | null>(null)
  const refresh = () =>
    Promise.all(['devices', 'customers', 'device-groups'].map((key) => client.invalidateQueries({ queryKey: [key] })))

  const save = async () => {
    if (customer !== null) {
      const customerId = customer === noCustomer ? null : customer
      await moveTo(tenantId, customerId, devices)
      const name = customers.find(({ id }) => id === customerId)?.name ?? t.organize.move.none
      showUndo(t.organize.move.moved(devices.length, name), async () => {
        await moveBack(tenantId, customerId, devices)
        await refresh()
      })
    }
    if (groupId !== null) {
      const at = { tenantId, params: { deviceGroupId: groupId } }
      const { members } = await api.deviceGroups.get(at)
      const present = new Set(members.map(({ deviceId }) => deviceId))
      const added = devices.map(({ id }) => id).filter((id) => !present.has(id))
      for (const deviceIds of chunks(added)) {
        await api.deviceGroups.addMembers({ ...at, body: { deviceIds } })
      }
      const name = groups.find(({ id }) => id === groupId)?.name ?? ''
      showUndo(t.organize.move.grouped(added.length, name), async () => {
        for (const deviceIds of chunks(added)) {
          await api.deviceGroups.removeMembers({ ...at, body: { deviceIds } })
        }
        await refresh()
      })
    }
    await refresh()
  }
  return (
    <DialogForm
      submit={t.organize.move.submit(devices.length)}
      canSubmit={customer !== null || groupId !== null}
      save={save}
      onSaved={onClose}
      onCancel={onClose}
    >
      {mayMove && (
        <Select
          label={t.organize.move.customer}
          placeholder={t.organize.move.keep}
          searchable
          clearable
          data-autofocus
          data={[
            { value: noCustomer, label: t.organize.move.none },
            ...customers.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={customer}
          onChange={setCustomer}
        />
      )}
      {mayGroup && (
        <Select
          label={t.organize.move.group}
          placeholder={t.organize.move.keep}
          searchable
          clearable
          data={groups.map(({ id, name }) => ({ value: id, label: name }))}
          value={groupId}
          onChange={setGroupId}
        />
      )}
    </DialogForm>
  )
}

interface MoveDialogProps extends MoveFormProps {
  /** Called when the closing animation has ended. */
  onClosed: () => void
}

/** Customer and groups of the selected devices; both can be undone. */
export const MoveDialog = ({ devices, onClose, onClosed }: MoveDialogProps) => (
  <Modal
    opened={devices.length > 0}
    onClose={onClose}
    onExitTransitionEnd={onClosed}
    title={t.organize.move.title(devices.length)}
  >
    {devices.length > 0 && <MoveForm devices={devices} onClose={onClose} />}
  </Modal>
)
