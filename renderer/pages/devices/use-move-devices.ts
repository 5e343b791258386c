import { chunksOf } from '../../../shared/chunks.ts'
import { maxIds } from '../../../shared/contract/fields.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { api } from '../../api/http.ts'
import { invalidate } from '../../api/query-client.ts'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import * as t from '../../texts.ts'

/** Ids of devices, in lists that are short enough for one request. */
const idsOf = (devices: readonly DeviceResponseDto[]) =>
  chunksOf(devices, maxIds).map((some) => some.map(({ id }) => id))

/** Moves devices to a customer; with null, removes the devices from their customers. */
async function moveTo(customerId: string | null, devices: readonly DeviceResponseDto[]) {
  if (customerId !== null) {
    for (const deviceIds of idsOf(devices)) {
      await api.customers.assignDevices({ params: { customerId }, body: { deviceIds } })
    }
    return
  }
  for (const [owner, owned] of Map.groupBy(devices, (device) => device.customerId)) {
    for (const removeDeviceIds of owner === null ? [] : idsOf(owned)) {
      await api.customers.assignDevices({ params: { customerId: owner! }, body: { removeDeviceIds } })
    }
  }
}

/** Moves each device back to its former customer; `now` is the present customer of all of them. */
async function moveBack(now: string | null, devices: readonly DeviceResponseDto[]) {
  for (const [owner, owned] of Map.groupBy(devices, (device) => device.customerId)) {
    await moveTo(owner, owner === null ? owned.map((device) => ({ ...device, customerId: now })) : owned)
  }
}

/** Moves devices to a customer or, with null, to none, and offers to undo it. */
export function useMoveDevices() {
  const refresh = () => invalidate(['devices'], ['customers'], ['device-groups'])
  const move = async (customer: { id: string; name: string } | null, devices: readonly DeviceResponseDto[]) => {
    const customerId = customer?.id ?? null
    await moveTo(customerId, devices)
    showUndo(t.organize.move.moved(devices.length, customer?.name ?? t.organize.move.none), async () => {
      await moveBack(customerId, devices)
      await refresh()
    })
    await refresh()
  }
  return { move, refresh }
}
