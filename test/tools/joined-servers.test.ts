import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Servers } from '../../tools/bench/joined.ts'
import { storeDevices } from '../../tools/bench/stored.ts'
import { serviceAccount } from '../../tools/simulate/service-account.ts'
import { canJoin } from '../support/joined-servers.ts'
import { isNight } from '../support/night.ts'

test.runIf(canJoin && isNight)(
  'servers of a benchmark that share a database list the devices stored for the first',
  async () => {
    const { settings, headers } = serviceAccount()
    await using servers = await Servers.prepare(2, settings)
    const id = randomUUID()
    await storeDevices(servers.firstFolder, servers.account.tenantId, [{ id }])
    await servers.start()
    const lists = await Promise.all(
      servers.urls.map(async (url) => (await fetch(`${url}/api/v1/devices`, { headers })).json()),
    )
    expect(lists).toEqual([[expect.objectContaining({ id })], [expect.objectContaining({ id })]])
  },
)
