import { describe, expect, test } from 'vitest'
import { keyEvent, mouseEvent } from '../../../agent/platform/windows/desktop/input-events.ts'
import { deferred } from '../../../shared/deferred.ts'
import { isSecure } from '../../../agent/platform/windows/secure-desktop/helper.ts'
import { SecureDesktopHelpers } from '../../../agent/platform/windows/secure-desktop/helpers.ts'
import {
  displaysRequest,
  frameRequest,
  inputRequest,
  RequestReader,
} from '../../../agent/platform/windows/secure-desktop/protocol.ts'

const area = { x: -640, y: 0, width: 640, height: 480 }
const events = [mouseEvent(0x8001, { x: 7, y: 9 }), keyEvent(0x41, 0x1e, true)]

test('requests are read wherever the pipe splits them', () => {
  const bytes = Buffer.concat([frameRequest(area), displaysRequest, inputRequest(events), frameRequest(area)])
  const typed = { events: Buffer.concat(events), count: 2 }
  for (let at = 0; at <= bytes.length; at++) {
    const reader = new RequestReader()
    const read = [...reader.read(bytes.subarray(0, at)), ...reader.read(bytes.subarray(at))]
    expect(read).toEqual([{ area }, 'displays', typed, { area }])
  }
})

describe('a process of the person that sends anything else is cut off', () => {
  const unknownKind = Buffer.alloc(40, 0)
  unknownKind.writeUInt32LE(2, 0)
  test.each([
    ['an unknown request', Buffer.from([9])],
    ['no events', Buffer.from([2, 0])],
    ['more events than are typed at once', Buffer.from([2, 201])],
    ['an event that is neither of a pointer nor of a key', inputRequest([unknownKind])],
    ['an area without pixels', frameRequest({ ...area, width: 0 })],
    ['an area of negative height', frameRequest({ ...area, height: -1 })],
    ['an area wider than screens', frameRequest({ ...area, width: 20_000 })],
    ['an area that would take gigabytes', frameRequest({ ...area, width: 16_384, height: 16_384 })],
  ])('%s', (_, bytes) => {
    expect(() => new RequestReader().read(bytes)).toThrow(RangeError)
  })
})

test.each([
  ['Winlogon', true],
  ['Screen-saver', true],
  ['Default', false],
  ['default', false],
  ['Desktop of a program', false],
])('the helper sees the desktop %s: %s', (name, isServed) => {
  expect(isSecure(name)).toBe(isServed)
})

describe('helpers of a process of the person', () => {
  function newHelper() {
    const { promise: ended, resolve } = deferred<unknown>()
    return { ended, kill: () => resolve('killed') }
  }

  test('a helper that is still starting when the last session ends is ended too', async () => {
    const started = deferred<ReturnType<typeof newHelper>>()
    const helpers = new SecureDesktopHelpers(() => started.promise)
    const opening = helpers.open()
    helpers.close()
    const helper = newHelper()
    started.resolve(helper)
    await expect(opening).rejects.toThrow('The session has ended.')
    expect(await helper.ended).toBe('killed')
  })

  test('a process that asks again and again gets eight, and the next one when one of them has ended', async () => {
    const running: ReturnType<typeof newHelper>[] = []
    const helpers = new SecureDesktopHelpers(async () => running[running.push(newHelper()) - 1]!)
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => helpers.open()))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
    running[0]!.kill()
    await running[0]!.ended
    expect(await helpers.open()).toContain('farhand-desktop')
    expect(running).toHaveLength(9)
  })
})
