import { useQueryClient } from '@tanstack/react-query'
import { maxIds } from '../../../shared/contract/fields.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { api } from '../../api/http.ts'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'

/** Splits ids into lists that are short enough for one request. */
export const chunks = (ids: readonly string[]) =>
  Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, index) => ids.slice(index * maxIds, (index + 1) * maxIds))

/** Moves devices to a customer; with null, removes the devices from their customers. */
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

/** Moves each device back to its former customer; `now` is the present customer of all of them. */
async function moveBack(tenantId: string, now: string | null, devices: readonly DeviceResponseDto[]) {
  for (const [owner, owned] of Map.groupBy(devices, (device) => device.customerId)) {
    await moveTo(tenantId, owner, owner === null ? owned.map((device) => ({ ...device, customerId: now })) : owned)
  }
}

/** Moves devices to a customer or, with null, to none, and offers to undo it. */
export function useMoveDevices() {
  const client = useQueryClient()
  const { tenantId } = useSession().user
  const refresh = () =>
    Promise.all(['devices', 'customers', 'device-groups'].map((key) => client.invalidateQueries({ queryKey: [key] })))
  const move = async (customer: { id: string; name: string } | null, devices: readonly DeviceResponseDto[]) => {
    const customerId = customer?.id ?? null
    await moveTo(tenantId, customerId, devices)
    showUndo(t.organize.move.moved(devices.length, customer?.name ?? t.organize.move.none), async () => {
      await moveBack(tenantId, customerId, devices)
      await refresh()
    })
    await refresh()
  }
  return { move, refresh }
}
