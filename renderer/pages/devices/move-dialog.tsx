import { Modal, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { chunksOf } from '../../../shared/chunks.ts'
import { maxIds } from '../../../shared/contract/fields.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { api } from '../../api/http.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { useMoveDevices } from './use-move-devices.ts'

const noCustomer = 'none'

interface MoveFormProps {
  devices: readonly DeviceResponseDto[]
  onClose: () => void
}

function MoveForm({ devices, onClose }: MoveFormProps) {
  const { can } = useSession()
  const mayMove = can('tenant.customers.write') && can('tenant.customers.read')
  const mayGroup = can('device-group.assign-devices') && can('tenant.device-groups.read')
  const customers = useQuery({ ...organizationQueries.customers, enabled: mayMove }).data ?? []
  const groups = useQuery({ ...organizationQueries.deviceGroups, enabled: mayGroup }).data ?? []
  const [customer, setCustomer] = useState<string | null>(null)
  const [groupId, setGroupId] = useState<string | null>(null)
  const { move, refresh } = useMoveDevices()

  const save = async () => {
    if (customer !== null) {
      await move(customers.find(({ id }) => id === customer) ?? null, devices)
    }
    if (groupId !== null) {
      const at = { params: { deviceGroupId: groupId } }
      const { members } = await api.deviceGroups.get(at)
      const present = new Set(members.map(({ deviceId }) => deviceId))
      const added = devices.map(({ id }) => id).filter((id) => !present.has(id))
      for (const deviceIds of chunksOf(added, maxIds)) {
        await api.deviceGroups.addMembers({ ...at, body: { deviceIds } })
      }
      const name = groups.find(({ id }) => id === groupId)?.name ?? ''
      showUndo(t.organize.move.grouped(added.length, name), async () => {
        for (const deviceIds of chunksOf(added, maxIds)) {
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

/** Dialog that changes the customer and the groups of the selected devices; both changes can be undone. */
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
