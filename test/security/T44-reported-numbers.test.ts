/** A device reports numbers that no device has: lists and pages of its organization are answered nevertheless. */
import { expect, test } from 'vitest'
import { installerKey, TestAgent } from '../support/agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

test.for([
  [-5, 1, 0],
  [-1e308, 1e-308, 0],
  [1e308, 1e-308, 1],
])(
  'the start page is answered beside a device that uses %d of %d GiB',
  async ([usedStorage, totalStorage, storage]) => {
    const agent = new TestAgent(owner.tenantId)
    const numbers = { cpuUtilization: -1e308, processorCount: -1, usedMemory: usedStorage!, totalMemory: totalStorage! }
    await agent.register(owner, await installerKey(owner), {
      ...numbers,
      usedStorage: usedStorage!,
      totalStorage: totalStorage!,
      drives: [],
    })
    const { findings } = await owner.applianceHome.fleet({})
    const down = findings.find(({ kind }) => kind === 'down')
    expect(down?.devices.find(({ id }) => id === agent.id)?.storage).toBe(storage)
    const sortDefinitions = [{ propertyName: 'UsedStoragePercent', descending: true, sortOrder: 0 }]
    const { items } = await owner.applianceDeviceSearch.find({
      body: { query: '', page: 0, pageSize: 50, sortDefinitions },
    })
    expect(items.map(({ id }) => id)).toContain(agent.id)
    const exported = await owner.fetch('/api/appliance/v1/devices/export?query=&columns=name,disk,cpu,memory&sort=Name')
    expect([exported.status, (await exported.text()).includes(agent.report().name)]).toEqual([200, true])
  },
)
