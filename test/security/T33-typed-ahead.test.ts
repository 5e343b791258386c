import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { deviceNotConnected, failure, success } from '../../shared/dtos/hub-result.ts'
import { enroll } from '../support/agent.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/** Viewer with an open terminal on a device; `typed` is the agent's input, answered when `release` is called. */
async function openTerminal() {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enroll(owner)
  const typed: string[] = []
  let isSlow = false
  const waiting: (() => void)[] = []
  const handlers = {
    CreateTerminalSession: () => success,
    ReceiveTerminalInput: async ({ input }: { input: string }) => {
      typed.push(input)
      if (isSlow) {
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      return success
    },
  }
  const connection = await agent.connect(server.url, handlers)
  const viewer = await connectViewer(owner)
  const terminalId = randomUUID()
  await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })
  return {
    owner,
    connection,
    viewer,
    typed,
    connectAgain: () => agent.connect(server.url, handlers),
    type: ({ SendTerminalInput2 }: Viewer, input: string) =>
      SendTerminalInput2({ deviceId: agent.id, input: { terminalId, input, viewerConnectionId: null } }),
    slowDown: () => (isSlow = true),
    release() {
      isSlow = false
      waiting.splice(0).forEach((resolve) => resolve())
    },
  }
}

test('input while the device is away is refused, and does not reach it when it is back', async () => {
  const { owner, connection, viewer, typed, type, connectAgain } = await openTerminal()
  await connection.connection.stop()
  await until(async () => !(await owner.devices.list({}))[0]!.isOnline)
  expect(await type(viewer, 'rm -rf build\r')).toEqual(failure(deviceNotConnected))
  await connectAgain()
  expect(await type(viewer, 'ls\r')).toEqual(success)
  expect(typed).toEqual(['ls\r'])
})

test('input that waited behind a slow device does not reach it once its viewer has left', async () => {
  const { owner, viewer, typed, type, slowDown, release } = await openTerminal()
  slowDown()
  const sent = ['a', 'b', 'c', 'd'].map((key) => type(viewer, key).catch(() => {}))
  await until(() => typed.length === 2)
  await viewer.connection.stop()
  await Promise.all(sent)
  const again = await connectViewer(owner)
  release()
  expect(await type(again, 'ls\r')).toEqual(success)
  expect(typed).toEqual(['a', 'b', 'ls\r'])
})
