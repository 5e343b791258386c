import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { RouteDefinition } from '../../../../shared/contract/route.ts'
import { requestFor } from '../../../surface/requests.ts'
import { rows } from '../../../surface/routes.ts'
import { answeringAgent } from '../../../support/answering-agent.ts'
import { canJoin, isOnlineAt, joinedForFile } from '../../../support/joined-servers.ts'
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

describe.runIf(canJoin)('a request about a device at another server', () => {
  const joined = joinedForFile()

  /** Two devices at the first server. */
  const twoDevices = async (options = {}) => {
    const devices = [await answeringAgent(joined.owner, options), await answeringAgent(joined.owner, options)] as const
    await until(() => isOnlineAt(joined.ownerAtTwo, devices[1].id))
    return devices
  }
  let shared: Awaited<ReturnType<typeof twoDevices>> | undefined

  test.each(rows(isAboutDevice))('%s is answered alike by both servers', async (_, definition) => {
    const { owner, ownerAtTwo } = joined
    const [first, second] = spoilsDevice(definition)
      ? await twoDevices()
      : (shared ??= await twoDevices({ isShared: true }))
    const one = await answerTo(owner, definition, first)
    expect(await answerTo(ownerAtTwo, definition, second)).toEqual(one)
    expect(one.status).toBeLessThan(500)
  })
})
