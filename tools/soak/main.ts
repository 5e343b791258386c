import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { applianceRecordings } from '../../shared/api/appliance-recordings.ts'
import { applianceRemoteSessions } from '../../shared/api/appliance-remote-sessions.ts'
import { installerKeys } from '../../shared/api/installer-keys.ts'
import { createClient } from '../../shared/contract/client.ts'
import { answerHelp, readOptions } from '../help.mjs'
import { must } from '../processes.mjs'
import { SimulatedAgent } from '../simulate/agent.ts'
import { startXvfb } from '../simulate/display.ts'
import { openAccount, type Account } from '../simulate/fleet.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { memoryMbOf, openFilesOf } from '../simulate/process-figures.ts'
import { startServer, type ServerProcess } from '../simulate/server-process.ts'
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
/** Interval of `/health` requests. */
const healthMs = 20
const floodMbPerSecond = '50'
const hostile = join(import.meta.dirname, 'hostile.ts')
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
async function startGreeter(): Promise<{ port: number; stop(): void }> {
  const server = createServer((socket) => socket.on('error', () => {}).write('RFB 003.008\n'))
  for (const port of vncPorts) {
    const isFree = await new Promise<boolean>((resolve) =>
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    )
    if (isFree) {
      return { port: (server.address() as AddressInfo).port, stop: () => server.close() }
    }
  }
  throw new Error('All ports that VNC servers may have are taken.')
}

/** Simulated devices that repeatedly connect and disconnect. */
async function comeAndGo(url: string, agents: readonly SimulatedAgent[], isOver: () => boolean) {
  while (!isOver()) {
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

async function measure(server: ServerProcess, agentPid: number, account: Account, directory: string): Promise<Held> {
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
interface Health {
  answers: number
  failures: number
  p95Ms: number
  serverMb: number
}

async function watchHealth(server: ServerProcess, isOver: () => boolean): Promise<Health> {
  const times: number[] = []
  const health: Health = { answers: 0, failures: 0, p95Ms: 0, serverMb: 0 }
  while (!isOver()) {
    const start = performance.now()
    const isAnswered = await fetch(`${server.url}/health`, { signal: AbortSignal.timeout(visitMs) }).then(
      async (answer) => (await answer.text()) === 'Healthy',
      () => false,
    )
    times.push(performance.now() - start)
    health[isAnswered ? 'answers' : 'failures']++
    health.serverMb = Math.max(health.serverMb, Math.round(await server.memoryMb()))
    await sleep(healthMs)
  }
  times.sort((a, b) => a - b)
  health.p95Ms = rounded(times[Math.floor(times.length * 0.95)] ?? 0)
  return health
}

/** Starts the anonymous peers in a separate process. */
function startFlood(url: string) {
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  const flood = spawn(process.execPath, [hostile, url, floodMbPerSecond], { stdio: [...stdio] })
  process.once('exit', () => flood.kill())
  return flood
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
async function keepVisiting({ url, deviceId, ...place }: Place, counts: Record<string, Count>, isOver: () => boolean) {
  const { cookie } = place.account
  while (!isOver()) {
    const { connection, viewer } = await connectViewer(url, cookie)
    await visitAll({ ...place, visit: { url, cookie, viewer, deviceId } }, counts)
    await connection.stop()
  }
}

const directory = await mkdtemp(join(tmpdir(), 'farhand-soak-'))
const deviceDirectory = await mkdtemp(join(tmpdir(), 'farhand-soak-device-'))
await writeFile(join(deviceDirectory, 'download.bin'), Buffer.alloc(3 * 1024 * 1024))
const probe = join(import.meta.dirname, 'probe.ts')
const server = await startServer(directory, {}, ['--expose-gc', '--import', probe])
const display = await startXvfb('800x600x24')
const screenSaver = spawn('xterm', ['-e', 'while true; do date; sleep 0.1; done'], {
  env: { ...process.env, DISPLAY: display.name },
  stdio: 'ignore',
})
const greeter = await startGreeter()
const counts: Record<string, Count> = {}
try {
  const { url } = server
  const account = await openAccount(url)
  if (values.record) {
    await recordAll(url, account)
  }
  const keys = createClient(installerKeys, { baseUrl: url, fetch: account.fetch })
  const key = await keys.create({ body: { tenantId: account.tenantId, keyType: 'Persistent' } })
  const agents = Array.from({ length: strangers }, (_, index) => new SimulatedAgent(index, account.tenantId))
  await Promise.all(agents.map((agent) => agent.register(url, key)))
  const figures = await withRealAgent(url, account, async (deviceId, agentPid) => {
    const place = { url, deviceId, account, display: display.name, vncPort: greeter.port, directory: deviceDirectory }
    const visitUntil = async (end: number): Promise<Health> => {
      const isOver = () => performance.now() >= end
      const visitors = Array.from({ length: workers }, () => keepVisiting(place, counts, isOver))
      const [health] = await Promise.all([watchHealth(server, isOver), comeAndGo(url, agents, isOver), ...visitors])
      return health
    }
    const workUntil = async (end: number): Promise<Held> => {
      await visitUntil(end)
      await sleep(settleMs)
      return await measure(server, agentPid, account, directory)
    }
    const start = performance.now()
    const afterQuarter = await workUntil(start + (seconds * 1000) / 4)
    const atEnd = await workUntil(start + seconds * 1000)
    const load = loadavg().map(rounded)
    if (values.calm) {
      return { afterQuarter, atEnd, load }
    }
    const floodMs = seconds * 100
    const calm = await visitUntil(performance.now() + floodMs)
    const flood = startFlood(url)
    const flooded = await visitUntil(performance.now() + floodMs)
    flood.kill()
    await sleep(settleMs)
    const afterFlood = await measure(server, agentPid, account, directory)
    return { afterQuarter, atEnd, load, calm, flooded, afterFlood }
  })
  process.stdout.write(`${JSON.stringify({ seconds, visits: counts, ...figures }, null, 2)}\n`)
} finally {
  greeter.stop()
  screenSaver.kill()
  await display.stop()
  await server.stop()
  await Promise.all([directory, deviceDirectory].map((path) => rm(path, { recursive: true, force: true })))
}
process.exit(0)
