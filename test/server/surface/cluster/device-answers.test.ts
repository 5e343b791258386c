import { HttpTransportType, Subject } from '@microsoft/signalr'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { Components } from '../../../../server/engines/http/contract/schemas.ts'
import { namedExamples } from '../../../../server/surface/document-texts.ts'
import type { HubMethodDefinition } from '../../../../shared/contract/hub.ts'
import type { RouteDefinition } from '../../../../shared/contract/route.ts'
import { viewerHub } from '../../../../shared/hubs/viewer-hub.ts'
import { requestFor } from '../../../surface/requests.ts'
import { rows } from '../../../surface/routes.ts'
import { answeringAgent } from '../../../support/answering-agent.ts'
import { base64 } from '../../../support/file-agent.ts'
import { connectViewer, type HubOptions } from '../../../support/hub-client.ts'
import { canJoin, isOnlineAt, joinedForFile } from '../../../support/joined-servers.ts'
import { some } from '../../../support/night.ts'
import type { RecordingAgent } from '../../../support/recording-agent.ts'
import type { Member } from '../../../support/server.ts'
import { until } from '../../../support/until.ts'

const named = /^(deviceId|deviceIds)$/

const membersOf = (schema: z.ZodType | undefined) => Object.keys((schema as z.ZodObject | undefined)?.shape ?? {})

/** Routes about a device, which they name in their path, query or body. */
const isAboutDevice = ({ path, query, body, access }: RouteDefinition) =>
  (typeof access === 'object' && 'on' in access && access.on === 'device') ||
  path.includes(':deviceId') ||
  [...membersOf(query), ...membersOf(body)].some((name) => named.test(name))

/** Types in place of values, so that ids and times do not matter. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.slice(0, 1).map(shapeOf)
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]))
    : typeof value
}

/** A batch goes on after its answer. */
const isBatch = ({ path }: RouteDefinition) => path.endsWith('/batches')

/** Whether the next request about the device might be answered differently. */
const spoilsDevice = (definition: RouteDefinition) =>
  isBatch(definition) || JSON.stringify(definition.access).includes('device.delete')

const varying = new Set(['date', 'content-length', 'x-request-id', 'location', 'etag', 'last-modified', 'keep-alive'])

/** The answer of a server, and the methods of the agent that were called for it. */
async function answerTo(by: Member, definition: RouteDefinition, { id: deviceId, told }: RecordingAgent) {
  told.length = 0
  const ids = { deviceId, deviceIds: [deviceId] }
  const { path, init } = requestFor(definition, { tenantId: by.tenantId, ids })
  const response = await by.fetch(path, init)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.match(/^application\/(problem\+)?json/)
  return {
    status: response.status,
    headers: [...response.headers]
      .filter(([name]) => !varying.has(name))
      .map(([name, value]) => [name, value.replaceAll(deviceId, 'device')]),
    body: isJson ? shapeOf(JSON.parse(text)) : text,
    told: isBatch(definition) ? [] : told.map(([method]) => method),
  }
}

const components = new Components(namedExamples)
const exampleOf = (schema: z.ZodType) => components.exampleOf(components.add(schema, 'input'), '')

const isCallAboutDevice = ({ access }: HubMethodDefinition) =>
  typeof access === 'object' && ('scope' in access || 'on' in access)
const methods = Object.entries<HubMethodDefinition>(viewerHub.methods).filter(([, method]) => isCallAboutDevice(method))

/** Example arguments of a method that name a device. */
const argsFor = ({ args, upload }: HubMethodDefinition, deviceId: string) => {
  const given = args.map((schema, index) => {
    const value = exampleOf(schema)
    if (index === 0 && Array.isArray(value)) {
      return [deviceId]
    }
    if (typeof value === 'object' && !Array.isArray(value)) {
      return { ...value, deviceId, deviceIds: [deviceId], fileSize: 7 }
    }
    return index === 0 ? deviceId : value
  })
  if (!upload) {
    return given
  }
  const items = new Subject<string>()
  setImmediate(() => {
    items.next(base64('content'))
    items.complete()
  })
  return [...given, items]
}

describe.runIf(canJoin)('about a device at another server,', () => {
  const joined = joinedForFile()

  /** Two devices at the first server, which are neighbours. */
  const twoDevices = async (options = {}) => {
    const devices = [await answeringAgent(joined.owner, options), await answeringAgent(joined.owner, options)] as const
    await until(() => isOnlineAt(joined.ownerAtTwo, devices[1].id))
    return devices
  }
  let shared: Awaited<ReturnType<typeof twoDevices>> | undefined

  test.each(some(rows(isAboutDevice), 3))('a request: %s is answered alike by both servers', async (_, definition) => {
    const { owner, ownerAtTwo } = joined
    const [first, second] = spoilsDevice(definition)
      ? await twoDevices()
      : (shared ??= await twoDevices({ isShared: true }))
    const one = await answerTo(owner, definition, first)
    expect(await answerTo(ownerAtTwo, definition, second)).toEqual(one)
    expect(one.status).toBeLessThan(500)
  })

  /** Calls a method at both servers, and compares the answers and the calls of the agents. */
  async function compare(name: string, method: HubMethodDefinition, options: HubOptions = {}) {
    const devices = name.startsWith('Uninstall')
      ? await twoDevices()
      : (shared ??= await twoDevices({ isShared: true }))
    const answers = []
    for (const [index, { id, told }] of devices.entries()) {
      const viewer = await connectViewer([joined.owner, joined.ownerAtTwo][index]!, options)
      told.length = 0
      const answer: unknown = await viewer.connection
        .invoke(name, ...argsFor(method, id))
        .catch((error: unknown) => String(error))
      // Messages without an answer reach the agent before this one.
      await viewer.GetActiveDesktopSessions(id)
      // Neighbours wake each other.
      const calls = told.map(([called]) => called).filter((called) => called !== 'InvokeWakeDevice')
      answers.push({ answer, calls })
    }
    expect(answers[1]).toEqual(answers[0])
  }

  test.each(some(methods, 3))('a call: %s is answered alike by both servers', (name, method) => compare(name, method))

  test.for([HttpTransportType.LongPolling, HttpTransportType.ServerSentEvents])(
    'a call is answered over transport %i, too',
    async (transport) => {
      for (const name of ['GetActiveDesktopSessions2', 'CreateTerminalSession2', 'UploadFile'] as const) {
        await compare(name, viewerHub.methods[name], { transport })
      }
    },
  )
})
