import { spawn } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { applianceRecordings } from '../../shared/api/appliance-recordings.ts'
import { applianceRemoteSessions } from '../../shared/api/appliance-remote-sessions.ts'
import { installerKeys } from '../../shared/api/installer-keys.ts'
import { createClient } from '../../shared/contract/client.ts'
import { percentile } from '../bench/measure.ts'
import { answerHelp, readOptions } from '../help.mjs'
import { must } from '../processes.mjs'
import { SimulatedAgent } from '../simulate/agent.ts'
import { startXvfb } from '../simulate/display.ts'
import { openAccount, type Account } from '../simulate/fleet.ts'
import { startFlood, watchHealth } from '../simulate/flood.ts'
import { startBuiltAgent, type RealAgent } from '../simulate/real-agent.ts'
import { memoryMbOf, openFilesOf } from '../simulate/process-figures.ts'
import { startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { visits, type SoakScene } from './visits.ts'

answerHelp(`npm run soak [-- --seconds N] [--only KIND] [--calm] [--record]

All kinds of sessions with agents and viewers that come and go, half of them by breaking off; prints what the server and the
agent hold after a quarter of the time and at the end. Then strangers flood the server beside the same visitors for a tenth
of the time: how long \`/health\` takes before and meanwhile, and how much memory the server needs more. --calm: without the
flood. --record: every session on a screen and every terminal is recorded, and the recordings are counted. Default: 30 minutes of ${Object.keys(visits).join(', ')}.`)

const { values } = readOptions({
  options: {
    seconds: { type: 'string', default: '1800' },
    only: { type: 'string' },
    calm: { type: 'boolean' },
    record: { type: 'boolean' },
  },
})
await must('tools/build.mjs', [], { stdio: ['ignore', 2, 'inherit'] })
const seconds = Number(values.seconds)
const wanted = Object.entries(visits)
  .filter(([name]) => values.only === undefined || name === values.only)
  // A policy that records every session refuses VNC, which cannot be recorded.
  .filter(([name]) => !values.record || name !== 'vnc')
const workers = 3
const strangers = 10
const visitMs = 20_000
/** Time until the server has noticed and released closed connections. */
const settleMs = 4_000
/** VNC ports that devices allow. */
const vncPorts = [5900, 5901, 5902, 5903, 5904, 5905, 5906, 5907, 5908, 5909]

/** Resources held without visitors. */
interface Held {
  heapMb: number
  timers: number
  sockets: number
  serverMb: number
  serverFiles: number
  agentMb: number
  agentFiles: number
  sessions: number
  scratchFiles: number
  /** Newest recordings by their state; at most 100. */
  recordings?: Record<string, number>
}

/** Outcomes of visits of a kind. */
interface Count {
  done: number
  broken: number
  /** Neither done nor broken within a person's patience. */
  stuck: number
  lastError?: string
}
/** VNC server that only sends its greeting and ignores all input. */
async function startGreeter(): Promise<{ port: number } & Disposable> {
  const server = createServer((socket) => socket.on('error', () => {}).write('RFB 003.008\n'))
  for (const port of vncPorts) {
    const isFree = await new Promise<boolean>((resolve) =>
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    )
    if (isFree) {
      return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() }
    }
  }
  throw new Error('All ports that VNC servers may have are taken.')
}

/** Simulated devices that repeatedly connect and disconnect. */
async function comeAndGo(url: string, agents: readonly SimulatedAgent[], goesOn: () => boolean) {
  while (goesOn()) {
    for (const agent of agents) {
      // A flood from the same address exhausts its budget of unproved input, so a rejected agent retries like a real
      // one.
      await (agent.isOpen ? agent.close() : agent.connect(url).catch(() => {}))
      await sleep(100)
    }
  }
  agents.forEach((agent) => agent.close())
}

/** Rounds to two decimals. */
const rounded = (value: number) => Math.round(value * 100) / 100

const recordingsAt = (url: string, { fetch }: Account) => createClient(applianceRecordings, { baseUrl: url, fetch })

async function recordingsOf(url: string, account: Account): Promise<Record<string, number>> {
  const { tenantId } = account
  const { items } = await recordingsAt(url, account).list({ tenantId, query: { limit: 100 } })
  return Object.fromEntries([...Map.groupBy(items, ({ state }) => state)].map(([state, all]) => [state, all.length]))
}

const recordAll = (url: string, account: Account) =>
  recordingsAt(url, account).replacePolicies({
    tenantId: account.tenantId,
    body: { items: [{ customerId: null, tagId: null, mode: 'always', retentionDays: null, quotaMegabytes: null }] },
  })

async function measure(
  server: ServerProcess,
  { pid: agentPid }: RealAgent,
  account: Account,
  directory: string,
): Promise<Held> {
  const own = await server.ask<Pick<Held, 'heapMb' | 'timers' | 'sockets'>>('measure')
  const { items } = await createClient(applianceRemoteSessions, { baseUrl: server.url, fetch: account.fetch }).list({})
  const scratch = await readdir(join(directory, 'scratch')).catch(() => [])
  return {
    ...own,
    heapMb: rounded(own.heapMb),
    serverMb: Math.round(await server.memoryMb()),
    serverFiles: await server.openFiles(),
    agentMb: Math.round(await memoryMbOf(agentPid)),
    agentFiles: await openFilesOf(agentPid),
    sessions: items.length,
    scratchFiles: scratch.length,
    ...(values.record && { recordings: await recordingsOf(server.url, account) }),
  }
}

/** Response times of `/health`, and the server's peak memory. */
async function healthOf(server: ServerProcess, goesOn: () => boolean) {
  const { times, failures, peakMb } = await watchHealth(server, goesOn)
  return {
    answers: times.length - failures,
    failures,
    p95Ms: rounded(percentile(times, 0.95)),
    serverMb: Math.round(peakMb),
  }
}

/** Runs a visit of each kind sequentially. */
async function visitAll(scene: SoakScene, counts: Record<string, Count>) {
  for (const [name, once] of wanted) {
    const count = (counts[name] ??= { done: 0, broken: 0, stuck: 0 })
    const visited = once(scene).then(
      () => 'done' as const,
      (error: Error) => error,
    )
    const outcome = await Promise.race([visited, sleep(visitMs).then(() => 'stuck' as const)])
    if (outcome instanceof Error) {
      count.broken++
      count.lastError = outcome.message
    } else {
      count[outcome]++
    }
  }
}

type Place = Omit<SoakScene, 'visit'> & { url: string; deviceId: string }

/** Repeatedly opens a viewer, visits the device and leaves. */
async function keepVisiting({ url, deviceId, ...place }: Place, counts: Record<string, Count>, goesOn: () => boolean) {
  const { cookie } = place.account
  while (goesOn()) {
    const { connection, viewer } = await connectViewer(url, cookie)
    await visitAll({ ...place, visit: { url, cookie, viewer, deviceId } }, counts)
    await connection.stop()
  }
}

async function soak() {
  await using data = await temporaryFolder()
  await using onDevice = await temporaryFolder()
  await writeFile(join(onDevice.path, 'download.bin'), Buffer.alloc(3 * 1024 * 1024))
  const probe = join(import.meta.dirname, 'probe.ts')
  await using server = await startServer(data.path, {}, ['--expose-gc', '--import', probe])
  await using display = await startXvfb('800x600x24')
  using _screenSaver = spawn('xterm', ['-e', 'while true; do date; sleep 0.1; done'], {
    env: { ...process.env, DISPLAY: display.name },
    stdio: 'ignore',
  })
  const { url } = server
  using greeter = await startGreeter()
  const account = await openAccount(url)
  if (values.record) {
    await recordAll(url, account)
  }
  const keys = createClient(installerKeys, { baseUrl: url, fetch: account.fetch })
  const key = await keys.create({ body: { tenantId: account.tenantId, keyType: 'Persistent' } })
  const agents = Array.from({ length: strangers }, (_, index) => new SimulatedAgent(index, account.tenantId))
  await Promise.all(agents.map((agent) => agent.register(url, key)))
  await using device = await startBuiltAgent(url, account)

  const counts: Record<string, Count> = {}
  const place = {
    url,
    deviceId: device.id,
    account,
    display: display.name,
    vncPort: greeter.port,
    directory: onDevice.path,
  }
  const visitUntil = async (end: number) => {
    const goesOn = () => performance.now() < end
    const visitors = Array.from({ length: workers }, () => keepVisiting(place, counts, goesOn))
    const [health] = await Promise.all([healthOf(server, goesOn), comeAndGo(url, agents, goesOn), ...visitors])
    return health
  }
  const held = async () => {
    await sleep(settleMs)
    return await measure(server, device, account, data.path)
  }
  const start = performance.now()
  await visitUntil(start + (seconds * 1000) / 4)
  const afterQuarter = await held()
  await visitUntil(start + seconds * 1000)
  const figures = { seconds, visits: counts, afterQuarter, atEnd: await held(), load: loadavg().map(rounded) }
  if (values.calm) {
    return figures
  }
  const floodMs = seconds * 100
  const calm = await visitUntil(performance.now() + floodMs)
  const flood = startFlood(url)
  const flooded = await visitUntil(performance.now() + floodMs)
  flood.kill()
  return { ...figures, calm, flooded, afterFlood: await held() }
}

process.stdout.write(`${JSON.stringify(await soak(), null, 2)}\n`)
process.exit(0)
