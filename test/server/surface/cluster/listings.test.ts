import { randomUUID } from 'node:crypto'
import { Subject } from '@microsoft/signalr'
import { describe, expect, test } from 'vitest'
import { success } from '../../../../shared/dtos/hub-result.ts'
import { enroll } from '../../../support/agent.ts'
import { canJoin, isOnlineAt, joinedForFile } from '../../../support/joined-servers.ts'
import { until } from '../../../support/until.ts'

describe.runIf(canJoin)('folders of a device', () => {
  const joined = joinedForFile()

  test('are listed by each server, whichever holds the agent', async () => {
    const { owner, ownerAtTwo, one } = joined
    const device = await enroll(owner)
    const send = (method: string, args: unknown[], batches: unknown[][]) => {
      const items = new Subject<unknown[]>()
      const isSent = agent.connection.send(method, ...args, items)
      batches.forEach((batch) => items.next(batch))
      items.complete()
      void isSent
      return success
    }
    const entry = {
      name: 'srv',
      fullPath: '/srv',
      isDirectory: true,
      size: 0,
      lastModified: '2026-01-02T03:04:05.678Z',
      isHidden: false,
      canRead: true,
      canWrite: true,
      hasSubfolders: false,
    }
    const agent = await device.connect(one.url, {
      StreamDirectoryContents: ({ streamId }) =>
        send('SendDirectoryContentsStream', [streamId, true], [[entry], [entry]]),
      StreamSubdirectories: ({ streamId }) => send('SendSubdirectoriesStream', [streamId], [[entry]]),
    })
    await until(() => isOnlineAt(ownerAtTwo, device.id))
    const call = { tenantId: owner.tenantId, body: { deviceId: device.id, directoryPath: '/' } }
    for (const { deviceFileSystem } of [owner, ownerAtTwo]) {
      expect(await deviceFileSystem.contents(call)).toEqual({ directoryExists: true, entries: [entry, entry] })
      expect(await deviceFileSystem.subdirectories(call)).toEqual({ subdirectories: [entry] })
    }
  })

  test('a stream that no request waits for is dropped', async () => {
    const { owner, one } = joined
    const agent = await (await enroll(owner)).connect(one.url)
    const items = new Subject<Uint8Array>()
    const answer = agent.connection.invoke('SendFileContentStream', randomUUID(), items)
    items.complete()
    expect(await answer).toMatchObject({ isSuccess: false })
  })
})
