import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { agentRelease } from '../../../support/agent-release.ts'
import { otherAuthority } from '../../../support/certificates.ts'
import { manualClock } from '../../../support/clock.ts'
import { edit } from '../../../support/database-shell.ts'
import { connectViewer } from '../../../support/hub-client.ts'
import { linkIn, startMailServer } from '../../../support/mail.ts'
import { freePort } from '../../../../tools/simulate/free-port.ts'
import { addUser, newAddress } from '../../../support/people.ts'
import { recordingAgent } from '../../../support/recording-agent.ts'
import { startTestServer, type Member } from '../../../support/server.ts'
import { enableTwoFactor } from '../../../support/totp.ts'
import { until } from '../../../support/until.ts'
import { withoutTriggers } from '../scene.ts'
import { newName, password, target, type Acts, type Expected } from './scene.ts'

export type ServerScene = Awaited<ReturnType<typeof openServerScene>>

/** A server with mail, open registration, and a folder of agents, for acts that restart or change it as a whole. */
export async function openServerScene() {
  const [clock, mail, folder] = [manualClock(), await startMailServer(), await mkdtemp(join(tmpdir(), 'farhand-test-'))]
  const downloads = join(folder, 'downloads')
  const settings = {
    ...mail.settings,
    AppOptions__EnablePublicRegistration: 'true',
    AppOptions__EnableInteractiveBearerLogin: 'true',
    DownloadsDirectory: downloads,
  }
  const offer = (mark: string) => agentRelease(downloads, { mark, agent: 'exit 0' })
  // The server looks for a folder of agents at its start.
  await offer('none')
  const server = await startTestServer({ settings, clock })
  const owner = await server.owner()
  return {
    clock,
    mail,
    server,
    owner,
    /** Replaces the offered agent. */
    offer,
    async close() {
      await server.stop()
      await mail.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const system = { actorKind: 'system', actorName: null, credentialKind: null, address: null } as const

const releases = async ({ applianceAgentReleases }: Member) => (await applianceAgentReleases.list({})).items

/** Offers an agent, a newer one, and the first again. */
async function stepBack({ owner, offer }: ServerScene) {
  const older = newName()
  // The sizes differ: files written within one tick of the file system's clock have the same time.
  for (const mark of [older, newName() + newName(), older]) {
    await offer(mark)
    await releases(owner)
  }
  const [offered] = await releases(owner)
  await owner.applianceAgentReleases.stepBack({ params: { build: offered!.build } })
  return offered!
}

async function restart({ server }: ServerScene): Promise<Expected> {
  await server.restart()
  return system
}

/** Acts on the server as a whole. The last ones leave no session. */
export const actsOfServer: Acts<ServerScene> = [
  [
    'account.email-confirmed',
    'the mailed link',
    async ({ server, mail }) => {
      const email = newAddress()
      await server.visitor().identity.register({ body: { email, password } })
      await server.visitor().fetch(linkIn(await mail.next(email)).href)
      return { actorName: email, credentialKind: null, ...target('user', email) }
    },
  ],
  [
    'change.user-two-factor-disabled',
    'a lost factor',
    async ({ server, owner, clock }) => {
      const member = await addUser(server, owner)
      await enableTwoFactor(member, clock)
      const params = { userId: member.user.id }
      await owner.applianceEntry.disableTwoFactor({ tenantId: owner.tenantId, params })
      return target('user', member.user.email)
    },
  ],
  [
    'device.woken',
    'a magic packet of its neighbor',
    async ({ owner, clock }) => {
      const [agent, neighbor] = [await recordingAgent(owner, { clock }), await recordingAgent(owner, { clock })]
      const viewer = await connectViewer(owner)
      await viewer.SendWakeDevice2({ deviceId: agent.id, macAddresses: ['00-11-22-aa-bb-cc'] })
      await until(() => neighbor.told.some(([method]) => method === 'InvokeWakeDevice'))
      return { deviceId: agent.id }
    },
  ],
  [
    'change.network-settings-updated',
    'the network switched on',
    async ({ owner }) => {
      await owner.applianceNetwork.set({ body: { isServed: true, port: await freePort(), names: [] } })
      return { targetKind: 'setting' }
    },
  ],
  [
    'change.network-certificate-updated',
    'a custom certificate',
    async ({ owner, clock }) => {
      const { cert, key } = await (await otherAuthority(clock.now())).issue(['farhand.test'])
      await owner.applianceNetwork.setCertificate({ body: { pem: `${cert}\n${key}` } })
      return { targetKind: 'setting' }
    },
  ],
  [
    'settings.release-signed',
    'new files in the folder of agents',
    async (scene) => {
      const { runtime, version } = await stepBack(scene)
      return { ...system, details: { runtime, version } }
    },
  ],
  [
    'settings.release-allowed',
    'an older agent',
    async (scene) => {
      const { runtime, version } = await stepBack(scene)
      return { details: { runtime, version } }
    },
  ],
  [
    'server.audit-log-cut',
    'rows older than a year, but the newest',
    async ({ clock, server }) => {
      const stored = (await server.rows('SELECT id FROM audit_events')).length
      clock.advance(366 * 24 * 3_600_000)
      return {
        ...system,
        details: { count: stored - 1, before: new Date(clock.now() - 365 * 24 * 3_600_000).toISOString() },
      }
    },
  ],
  ['server.stopped', 'a restart', restart],
  ['server.started', 'a restart', restart],
  [
    'server.audit-log-lost',
    'a log that somebody emptied',
    async ({ server }) => {
      const emptied = `${withoutTriggers} DELETE FROM audit_events; DELETE FROM audit_head;`
      await server.asleep(() => edit(server, server.database ? 'TRUNCATE audit_events, audit_head' : emptied))
      return { ...system, details: { problem: expect.stringContaining('The log was emptied') as string } }
    },
  ],
]
