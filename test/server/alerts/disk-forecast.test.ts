import { expect, test } from 'vitest'
import type { AlertCondition } from '../../../shared/dtos/alert-rule.ts'
import { DeviceHistory } from '../../../server/history/device-history.ts'
import { enroll } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { useTestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const secondMs = 1_000
const hourMs = 60 * 60 * secondMs

test('a disk that will be full within the days of a rule opens an alert while there is time', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock })
  const owner = await server.owner()
  const agent = await enroll(owner)
  const hour = Math.floor(clock.now() / hourMs)
  const history = new DeviceHistory()
  for (let ago = 28 * 24; ago > 0; ago--) {
    history.setHour(hour - ago, { online: 1, cpu: 0, memory: 0, disks: new Map([['/', 0.95 - ago / 2000]]) })
  }
  await server.whileStopped((database, models) =>
    database.write((transaction) =>
      models.StoredHistory.create(
        {
          deviceId: agent.id,
          hour: hour - 1,
          disks: JSON.stringify(history.disks),
          samples: Buffer.from(history.samples).toString('base64'),
        },
        { transaction },
      ),
    ),
  )
  const [alert] = await until(async () => {
    clock.advance(secondMs)
    const { items } = await owner.applianceAlerts.list({ query: { deviceId: agent.id } })
    return items.length > 0 ? items : undefined
  })
  expect(alert).toMatchObject({
    kind: 'device-disk-forecast',
    title: `A disk of ${agent.report().name} will be full soon`,
  })
  expect(alert!.lines).toEqual([expect.stringMatching(/^\/ is 95% full, and full about \d{4}-\d\d-\d\d$/)])

  const name = agent.report().name
  const said = async (condition: AlertCondition) => {
    const body = { condition, scope: { kind: 'device' as const, id: agent.id } }
    return (await owner.applianceAlerts.previewRule({ tenantId: owner.tenantId, body })).items.map(({ title }) => title)
  }
  expect(await said({ kind: 'device-disk-forecast', days: 14 })).toEqual([])
  expect(await said({ kind: 'device-disk-forecast', days: 5 })).toEqual([`A disk of ${name} will be full soon`])
  expect(await said({ kind: 'device-disk', percent: 94, minutes: 60 })).toEqual([`Storage of ${name} is at 94%`])
  expect(await said({ kind: 'device-disk', percent: 96, minutes: 60 })).toEqual([])
})
