import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBackupCommand } from '../support/backup-command.ts'
import { identityOf, startPinnedDevice } from '../support/pinned-device.ts'
import { useTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/server-process.ts'
import { until } from '../support/until.ts'

test(
  'T17: a server restored into an empty folder has the same identity, so the agent comes back by itself',
  { timeout: 60_000 },
  async () => {
    const folder = await temporaryFolder()
    const server = await useTestServer({ listenOn: 'https://127.0.0.1:0;http://127.0.0.1:0' })
    const owner = await server.owner()
    const device = await startPinnedDevice(server, owner)
    const before = await identityOf(server.url)
    await mkdir(join(folder, 'copies'), { mode: 0o700 })
    const body = { folder: join(folder, 'copies'), hour: 2, keepDaily: 7, keepWeekly: 4, keepMonthly: 6 }
    await owner.applianceBackup.changeSettings({ body })
    const { recoveryKey } = await owner.applianceBackup.makeRecoveryKey({})
    const { newest } = await owner.applianceBackup.make({})
    const restored = join(folder, 'restored')
    await server.whileStopped(async () => {
      await rm(join(server.directory, 'secrets.json'))
      const answer = await runBackupCommand(restored, ['restore', newest!.path], recoveryKey)
      expect([answer.status, answer.stderr]).toEqual([0, ''])
      server.settings['DataDirectory'] = restored
    })
    const after = await identityOf(server.url)
    expect(after.pin).toBe(before.pin)
    const again = await server.signIn()
    await until(async () => (await again.devices.get({ params: { deviceId: device.id } })).isOnline)
    expect(device.agent.output()).not.toContain('Another server answers')
    expect(await again.applianceBackup.get({})).toMatchObject({ recoveryKey: { provedAt: null } })
  },
)
