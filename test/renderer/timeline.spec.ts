import { join } from 'node:path'
import { openConnection } from '../../server/engines/database/connection.ts'
import { expect, expectAccessible, test, usePage } from './support/fixtures.ts'
import { isNight } from '../support/night.ts'
import { addMember } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'

/** Connections of a device over the last 60 days, one a few minutes long after the other. */
async function addConnections(server: TestServer, deviceId: string, count: number) {
  const connection = await openConnection(join(server.directory, 'farhand.db'), 'writer')
  const apartMs = (60 * 24 * 60 * 60_000) / count
  try {
    await connection.all(
      `INSERT INTO device_connections (deviceId, connectedAt, endedAt, cause)
       SELECT ?, ? - value * ?, ? - value * ? + 120000, 'vanished' FROM json_each(?)`,
      [
        deviceId,
        Date.now(),
        apartMs,
        Date.now(),
        apartMs,
        JSON.stringify(Array.from({ length: count }, (_, n) => n + 1)),
      ],
    )
  } finally {
    await connection.close()
  }
}

/** Number of connections, with two entries each. */
const connections = isNight ? 500 : 100

test(
  'the timeline of a device is filtered, leads to people and the audit log, and stays quick with its entries of months',
  { tag: '@night' },
  async ({ page, server, owner, enroll }) => {
    const [agent] = await enroll(1)
    const deviceId = agent!.id
    await addConnections(server, deviceId, connections)
    await owner.devices.setAlias({ params: { deviceId }, body: { alias: 'Reception' } })
    await page.goto(`${server.url}/devices/${deviceId}`)
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await expect(page).toHaveURL(/\/timeline$/)
    const timeline = page.getByRole('region', { name: 'Timeline of Reception' })
    const entries = timeline.getByRole('listitem')
    await expect(entries.first()).toContainText('to “Reception”')
    await expect(timeline.getByRole('region', { name: 'Today' })).toBeVisible()
    await expect(timeline.getByText('Fell silent: network, power or sleep').first()).toBeVisible()
    await expectAccessible(page)

    const earlier = timeline.getByRole('button', { name: 'Show earlier entries' })
    await expect(async () => {
      await earlier.press('Enter', { timeout: 500 }).catch(() => {})
      await expect(timeline.getByText('Nothing earlier in the last 90 days.')).toBeVisible({ timeout: 100 })
    }).toPass()
    await expect(entries).toHaveCount(2 * connections + 2)
    const filters = timeline.getByRole('group', { name: 'Show only' })
    await filters.getByRole('button', { name: 'Changes' }).press('Enter')
    await expect(entries).toHaveCount(2)
    await filters.getByRole('button', { name: 'Files' }).press('Space')
    await expect(timeline.getByText('Nothing of this kind in the last 90 days.')).toBeVisible()
    await filters.getByRole('button', { name: 'Changes' }).click()
    await entries.first().getByRole('link', { name: 'Audit log' }).press('Enter')
    await expect(page).toHaveURL(/\/audit\?entry=\d+$/)
  },
)

test(
  'what a person did is in the pane; what others changed is on Home until it is dismissed',
  { tag: '@night' },
  async ({ page, context, server, owner, enroll }) => {
    const { tenantId } = owner
    const grace = await addMember(server, tenantId, ['device.read'])
    // Grace was here an hour ago.
    await server.whileStopped((database) =>
      database.write((transaction) =>
        database.sequelize.query(
          'UPDATE sessions SET createdAt = createdAt - 3600000, lastSeenAt = lastSeenAt - 3600000',
          {
            transaction,
          },
        ),
      ),
    )
    await enroll(2)
    await page.goto(`${server.url}/people?open=${grace.user.id}`)
    const pane = page.getByRole('complementary')
    await expect(pane.getByRole('region', { name: /^Timeline of / }).getByRole('listitem')).toContainText('signed in')
    await expectAccessible(page)

    await usePage(context, grace)
    await page.goto(server.url)
    const changes = page.getByRole('region', { name: /^Changed by others since / })
    await expect(changes.getByRole('listitem')).toContainText('2 devices added')
    await expectAccessible(page)
    await expect(changes.getByRole('link')).toHaveCount(2)
    await changes.getByRole('button', { name: 'Dismiss' }).press('Enter')
    await expect(changes).toHaveCount(0)
    await page.reload()
    await expect(page.getByRole('region', { name: 'The fleet' })).toBeVisible()
    await expect(changes).toHaveCount(0)
  },
)
