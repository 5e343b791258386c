import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { installerKeys } from '../../shared/api/installer-keys.ts'
import { permissionAssignments } from '../../shared/api/permission-assignments.ts'
import { tenantServiceAccounts } from '../../shared/api/tenant-service-accounts.ts'
import { createClient } from '../../shared/contract/client.ts'
import { inParallel } from '../../shared/in-parallel.ts'
import { SimulatedAgent } from '../simulate/agent.ts'
import { openAccount, type Account } from '../simulate/fleet.ts'
import { startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { percentile, sleep, type Round } from './measure.ts'

const feeds = 500
/** Limit of feeds of a principal. */
const feedsOfAccount = 20
const events = 200

/** Key of a new service account of the tenant, which may read its devices. */
async function addReader(url: string, { tenantId, fetch }: Account): Promise<string> {
  const options = { baseUrl: url, fetch }
  const accounts = createClient(tenantServiceAccounts, options)
  const { id } = await accounts.create({ params: { tenantId }, body: { name: randomUUID() } })
  const { plainTextSecretKey } = await accounts.createCredential({
    params: { tenantId, serviceAccountId: id },
    body: { name: 'key' },
  })
  await createClient(permissionAssignments, options).create({
    tenantId,
    body: {
      principalKind: 'ServiceAccount',
      principalId: id,
      permissionName: 'device.read',
      effect: 'Allow',
      scopeKind: 'Tenant',
      scopeId: tenantId,
    },
  })
  return plainTextSecretKey
}

/** Opens a feed of new devices, which calls `onEvent` for each. */
async function openFeed(url: string, key: string, onEvent: () => void) {
  const request = get(`${url}/api/appliance/v1/events?after=latest&kinds=device.registered`, {
    agent: false,
    headers: { accept: 'text/event-stream', 'x-api-key': key },
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) {
    throw new Error(`A feed was answered with ${response.statusCode}.`)
  }
  response.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n')) {
      if (line.startsWith('data:')) {
        onEvent()
      }
    }
  })
  request.on('error', () => {})
  return () => request.destroy()
}

const nodeArguments = ['--expose-gc', '--import', join(import.meta.dirname, '..', 'soak', 'probe.ts')]

/** Resident memory before and after a garbage collection, in MB. */
async function memoryOf(server: ServerProcess) {
  await sleep(3_000)
  const usedMb = await server.memoryMb()
  await server.ask('memory')
  return { usedMb, keptMb: await server.memoryMb() }
}

/** Memory of 500 readers of the feed of events, and the time from an event to the last of them. */
export async function eventFeeds(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  const server = await startServer(folder.path, {}, nodeArguments)
  try {
    const account = await openAccount(server.url)
    const keys: string[] = []
    for (let reader = 0; reader < feeds / feedsOfAccount; reader++) {
      keys.push(await addReader(server.url, account))
    }
    const installer = await createClient(installerKeys, { baseUrl: server.url, fetch: account.fetch }).create({
      body: { tenantId: account.tenantId, keyType: 'Persistent' },
    })
    const register = (index: number) => new SimulatedAgent(index, account.tenantId).register(server.url, installer)
    // Code loaded for the first devices and requests is no part of the feeds.
    await inParallel(Array(50).keys(), 8, register)
    const before = await memoryOf(server)
    let received = 0
    let whole = Promise.withResolvers<void>()
    const note = () => {
      if (++received % feeds === 0) {
        whole.resolve()
      }
    }
    const closers: (() => void)[] = []
    await inParallel(Array(feeds).keys(), 20, async (index) => {
      closers.push(await openFeed(server.url, keys[index % keys.length]!, note))
    })
    const open = await memoryOf(server)
    const times: number[] = []
    for (let event = 0; event < events; event++) {
      whole = Promise.withResolvers()
      const started = performance.now()
      await Promise.all([register(1_000 + event), whole.promise])
      times.push(performance.now() - started)
    }
    const after = await memoryOf(server)
    round.record(`${feeds} readers of the feed of events, ${events} events`, {
      openMb: open.keptMb - before.keptMb,
      afterEventsMb: after.keptMb - before.keptMb,
      withGarbageMb: after.usedMb - before.usedMb,
      p50Ms: percentile(times, 0.5),
      p95Ms: percentile(times, 0.95),
    })
    closers.forEach((close) => close())
  } finally {
    await server.stop()
  }
}
