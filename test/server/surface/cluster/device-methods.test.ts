import { HttpTransportType, Subject } from '@microsoft/signalr'
import type { z } from 'zod'
import { describe, expect, test } from 'vitest'
import { Components } from '../../../../server/engines/http/contract/schemas.ts'
import { namedExamples } from '../../../../server/surface/document-texts.ts'
import type { HubMethodDefinition } from '../../../../shared/contract/hub.ts'
import { viewerHub } from '../../../../shared/hubs/viewer-hub.ts'
import { answeringAgent } from '../../../support/answering-agent.ts'
import { base64 } from '../../../support/file-agent.ts'
import { connectViewer, type HubOptions } from '../../../support/hub-client.ts'
import { canJoin, isOnlineAt, joinedForFile } from '../../../support/joined-servers.ts'
import { until } from '../../../support/until.ts'

const components = new Components(namedExamples)
const exampleOf = (schema: z.ZodType) => components.exampleOf(components.add(schema, 'input'), '')

const isAboutDevice = ({ access }: HubMethodDefinition) =>
  typeof access === 'object' && ('scope' in access || 'on' in access)
const methods = Object.entries<HubMethodDefinition>(viewerHub.methods).filter(([, method]) => isAboutDevice(method))

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

describe.runIf(canJoin)('a call about a device at another server', () => {
  const joined = joinedForFile()

  /** Two devices at the first server, which are neighbours. */
  const twoDevices = async (options = {}) => {
    const devices = [await answeringAgent(joined.owner, options), await answeringAgent(joined.owner, options)] as const
    await until(() => isOnlineAt(joined.ownerAtTwo, devices[1].id))
    return devices
  }
  let shared: Awaited<ReturnType<typeof twoDevices>> | undefined

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

  test.each(methods)('%s is answered alike by both servers', (name, method) => compare(name, method))

  test.for([HttpTransportType.LongPolling, HttpTransportType.ServerSentEvents])(
    'is answered over transport %i, too',
    async (transport) => {
      for (const name of ['GetActiveDesktopSessions2', 'CreateTerminalSession2', 'UploadFile'] as const) {
        await compare(name, viewerHub.methods[name], { transport })
      }
    },
  )
})
