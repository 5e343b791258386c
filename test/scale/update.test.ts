import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { serverIn } from '../../server/engines/cluster/server-in.ts'
import { SimulatedAgent } from '../../tools/simulate/agent.ts'
import { installerKey } from '../support/agent.ts'
import { missingForCluster, startCluster, type TestCluster } from '../support/cluster.ts'
import { connectViewer } from '../support/hub-client.ts'
import { isNight } from '../support/night.ts'
import { newerServerProgram, serverProgramOf } from '../support/other-version.ts'
import { getsPages, logsRequests, usePages } from '../support/page-requests.ts'
import { runIn } from '../support/postgres.ts'
import { startRealDevice, type RealDevice } from '../support/real-device.ts'
import { registerOwner, signInTo, type Member } from '../support/server.ts'
import { later, until } from '../support/until.ts'

/** Source of the servers before the update. */
const oldCommit = process.env['FARHAND_OLD_COMMIT'] ?? 'HEAD'
const oldVersion = '0.0.9'
const newVersion = '9.0.0'
const agentCount = 24
/** Surplus at which servers leave agents where they are. */
const surplus = 6

/** Simulated agents that connect again by themselves. */
async function startAgents(owner: Member): Promise<void> {
  const key = await installerKey(owner)
  const agents = Array.from({ length: agentCount }, (_, index) => new SimulatedAgent(index, owner.tenantId))
  let isOver = false
  onTestFinished(() => {
    isOver = true
    agents.forEach((agent) => agent.close())
  })
  const connect = (agent: SimulatedAgent): Promise<void> => {
    const again = () => isOver || later(200, () => void connect(agent))
    return agent.connect(owner.url, again).catch(() => agent.close())
  }
  for (const agent of agents) {
    await agent.register(owner.url, key)
    await connect(agent)
  }
}

/** Number of agents that each server holds. */
async function counts({ database }: TestCluster): Promise<number[]> {
  const sql = "SELECT connectionId FROM devices WHERE connectionId <> ''"
  const rows = await runIn<{ connectionId: string }>(database.options, sql, [])
  return [...Map.groupBy(rows, ({ connectionId }) => serverIn(connectionId)).values()].map(({ length }) => length)
}

/** Whether both servers list the tags of the database, with all that were created. */
async function agreeOnTags({ servers, database }: TestCluster, created: readonly string[]): Promise<boolean> {
  const rows = await runIn<{ id: string; name: string; later: number }>(
    database.options,
    'SELECT id, name, later FROM tags',
    [],
  )
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(rows.map(({ id }) => id)).union(new Set(created)))
  expect(rows.every(({ later }) => later === 7)).toBe(true)
  const sorted = (tags: readonly { id: string; name: string }[]) => tags.map(({ id, name }) => `${id} ${name}`).sort()
  const lists = servers.map(async ({ url }) => {
    const member = await signInTo(url)
    return sorted((await member.tags.list({ tenantId: member.tenantId, query: {} })).items)
  })
  return (await Promise.all(lists)).every((list) => list.join() === sorted(rows).join())
}

/** Opens a terminal; `shows` waits until it shows a text to a viewer that comes back as a page does. */
async function openTerminal(owner: Member, { id: deviceId }: RealDevice) {
  const terminalId = randomUUID()
  const opener = await connectViewer(owner)
  expect(await opener.CreateTerminalSession2({ deviceId, terminalId })).toMatchObject({ isSuccess: true })
  const shows = (expected: string, input = '') =>
    until(async () => {
      const viewer = await connectViewer(owner).catch(() => undefined)
      const terminal = { terminalId, input, isAttach: input === '' }
      const answer = await viewer?.SendTerminalInput2({ deviceId, input: terminal }).catch(() => undefined)
      if (!viewer || answer?.isSuccess !== true) {
        return false
      }
      let isLost = false
      void viewer.closed.then(() => (isLost = true))
      const isShown = () =>
        viewer.outputs
          .map(({ output }) => output)
          .join('')
          .includes(expected)
      await until(() => isLost || isShown())
      return isShown()
    })
  return { shows }
}

// Waits until agents are asked to connect again: in npm run test:scale, and at night.
test.skipIf(missingForCluster || !isNight)(
  'servers are updated one after the other to a version with more columns while agents and pages work, and the agents spread evenly again',
  { timeout: 600_000 },
  async () => {
    const program = await serverProgramOf(oldCommit, oldVersion, onTestFinished)
    const newProgram = await newerServerProgram(newVersion, onTestFinished)
    const cluster = await startCluster(onTestFinished, { program, settings: logsRequests })
    await registerOwner(cluster.first.url)
    const owner = await signInTo(cluster.url)
    const device = await startRealDevice(owner)
    onTestFinished(() => device.stop())
    await startAgents(owner)
    const terminal = await openTerminal(owner, device)
    await terminal.shows('be21fore', 'echo be$((20+1))fore')
    const serversRow = async () => {
      const { checks } = await owner.applianceHealth.report({})
      return checks.find(({ id }) => id === 'servers')!
    }

    const pages = await usePages(owner)
    for (const [index, server] of cluster.servers.entries()) {
      await server.process.stop()
      await terminal.shows('be21fore')
      await pages.goOn(20)
      await server.start(newProgram)
      await until(() => getsPages(server.process))
      for (const { url } of cluster.servers) {
        const member = await signInTo(url)
        await member.devices.list({ query: {} })
      }
      await pages.goOn(100)
      await terminal.shows('be21fore')
      await until(async () => (await serversRow()).summary.includes(oldVersion) === (index === 0))
    }
    await pages.end()
    expect(pages.failures.join('\n')).toBe('')
    await until(() => agreeOnTags(cluster, pages.created))
    // Each server reads the others every 5 s.
    await until(async () => (await serversRow()).state === 'ok')
    await until(async () => {
      const held = await counts(cluster)
      const all = held.reduce((one, other) => one + other)
      return held.length === 2 && all > agentCount && Math.max(...held) <= all / 2 + surplus
    })
  },
)
