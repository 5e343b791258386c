import { describe, expect, test } from 'vitest'
import { enrol, installerKey, TestAgent } from '../../support/agent.ts'
import { account, registerOwner, signInTo, Visitor, type Member } from '../../support/server.ts'
import { startServerProcess, temporaryFolder } from '../../support/server-process.ts'

interface Story {
  url: string
  owner: Member
  agent: TestAgent
}

/** What is done, and how it shows after the server was killed right after its answer. */
const writes: [string, (story: Story) => Promise<(again: Member) => Promise<unknown>>][] = [
  [
    'a registration',
    async ({ owner }) =>
      async (again) =>
        expect(again.user).toEqual(owner.user),
  ],
  [
    'a sign-in',
    async ({ url, owner }) => {
      const { cookie } = await signInTo(url)
      return async (again) => {
        again.cookie = cookie
        expect((await again.auth.me({})).id).toBe(owner.user.id)
      }
    },
  ],
  [
    'a sign-out',
    async ({ owner }) => {
      const { cookie } = owner
      await owner.auth.logout({})
      return async (again) => {
        again.cookie = cookie
        await expect(again.auth.me({})).rejects.toMatchObject({ status: 401 })
      }
    },
  ],
  [
    'a new installer key',
    async ({ owner }) => {
      const { id } = await installerKey(owner)
      return async (again) => {
        const { items } = await again.installerKeys.list({ tenantId: again.tenantId })
        expect(items.map((key) => key.id)).toContain(id)
      }
    },
  ],
  [
    'a renamed key',
    async ({ owner }) => {
      const { id: keyId } = await installerKey(owner)
      const { tenantId } = owner
      await owner.installerKeys.rename({ tenantId, params: { keyId }, body: { friendlyName: 'Cellar' } })
      return async (again) => {
        const { items } = await again.installerKeys.list({ tenantId })
        expect(items.find(({ id }) => id === keyId)?.friendlyName).toBe('Cellar')
      }
    },
  ],
  [
    'a deleted key',
    async ({ owner }) => {
      const { id: keyId } = await installerKey(owner)
      const { tenantId } = owner
      await owner.installerKeys.delete({ tenantId, params: { keyId } })
      return async (again) => {
        const { items } = await again.installerKeys.list({ tenantId })
        expect(items.map(({ id }) => id)).not.toContain(keyId)
      }
    },
  ],
  [
    'a registered device and the use of its key',
    async ({ owner }) => {
      const key = await installerKey(owner)
      const agent = new TestAgent(owner.tenantId)
      await agent.register(owner, key)
      return async (again) => {
        const usages = await again.installerKeys.usages({ tenantId: again.tenantId, params: { keyId: key.id } })
        expect(usages.items.map(({ deviceId }) => deviceId)).toEqual([agent.id])
        expect((await again.devices.get({ params: { deviceId: agent.id } })).name).toBe(agent.report().name)
      }
    },
  ],
  [
    'a device update',
    async ({ url, agent }) => {
      const { UpdateDeviceSigned } = await agent.open(url)
      await UpdateDeviceSigned(agent.signed(agent.report({ name: 'reported', cpuUtilization: 0.25 })))
      return async (again) => {
        const device = await again.devices.get({ params: { deviceId: agent.id } })
        expect(device).toMatchObject({ name: 'reported', cpuUtilization: 0.25, isOnline: false })
      }
    },
  ],
  [
    'an alias',
    async ({ owner, agent }) => {
      await owner.devices.setAlias({ params: { deviceId: agent.id }, body: { alias: 'Cellar' } })
      return async (again) => {
        expect((await again.devices.get({ params: { deviceId: agent.id } })).alias).toBe('Cellar')
      }
    },
  ],
  [
    'a deleted device',
    async ({ owner, agent }) => {
      await owner.devices.delete({ params: { deviceId: agent.id } })
      return async (again) => expect(await again.devices.list({})).toEqual([])
    },
  ],
]

describe('what was answered survives a SIGKILL of the server:', () => {
  test.each(writes)('%s', { timeout: 60_000 }, async (_, write) => {
    const directory = await temporaryFolder()
    const first = await startServerProcess(directory)
    const owner = await registerOwner(first.url)
    const agent = await enrol(owner)
    const expectStored = await write({ url: first.url, owner, agent })
    await first.kill()
    const second = await startServerProcess(directory)
    await expectStored(await signInTo(second.url))
    await second.stop()
  })

  test('wrong passwords on their way to the lockout', { timeout: 60_000 }, async () => {
    const directory = await temporaryFolder()
    const first = await startServerProcess(directory)
    await registerOwner(first.url)
    const guess = (url: string) =>
      new Visitor(url).applianceSession.signIn({ body: { email: account.email, password: 'Wrong-Horse-7' } })
    for (let count = 0; count < 4; count++) {
      await guess(first.url)
    }
    await first.kill()
    const second = await startServerProcess(directory)
    expect(await guess(second.url)).toEqual({ isLockedOut: true, user: null })
  })

  test('a changed password', { timeout: 60_000 }, async () => {
    const directory = await temporaryFolder()
    const first = await startServerProcess(directory)
    const owner = await registerOwner(first.url)
    const [currentPassword, newPassword] = ['Correct-Horse-7', 'Newer-Horse-8']
    await owner.auth.changePassword({ body: { currentPassword, newPassword } })
    await first.kill()
    const second = await startServerProcess(directory)
    await expect(signInTo(second.url, { password: currentPassword })).rejects.toThrow('was not signed in')
    await signInTo(second.url, { password: newPassword })
  })
})
