import { expect, test } from 'vitest'
import { FollowedDevices, type Viewer } from '../../server/devices/followed-devices.ts'
import type { Call } from '../../server/call/call.ts'
import { followDevices } from '../../server/devices/push-devices.ts'

const principal = { id: 'ada', credential: { kind: 'Session' } } as Viewer['principal']
const ids = Array.from({ length: 100 }, (_, index) => `device-${index}`)
const places = { customerId: null, groupIds: [] }
/** None can be read: the limit is checked before the devices are looked up. */
const readable = { get: () => undefined } as unknown as Parameters<typeof followDevices>[2]

test('the connections of a principal have 200,000 subscriptions together, counted once and until they end', () => {
  const followedDevices = new FollowedDevices()
  const call = { app: { followedDevices, hubs: {}, agentRelease: {} }, principal } as unknown as Call
  const follow = (connection: number) => {
    for (const id of ids) {
      followedDevices.follow({ connectionId: String(connection), principal, places, permissions: 0 }, id)
    }
  }
  const reason = () => followDevices(call, 'another', readable, ids).reason ?? 'none'
  follow(0)
  for (let connection = 0; connection < 2_000; connection++) {
    expect(reason()).toBe('none')
    follow(connection)
  }
  expect(followedDevices.countOf(principal)).toBe(200_000)
  expect(reason()).toBe('Too many subscriptions. Your connections together may have 200000.')
  followedDevices.unfollow('0', [...ids, ...ids, 'unknown'])
  expect(reason()).toBe('none')
  follow(2_000)
  followedDevices.drop('1')
  follow(1)
  expect(reason()).toContain('Too many')
  for (let connection = 0; connection <= 2_000; connection++) {
    followedDevices.drop(String(connection))
  }
  expect(followedDevices.countOf(principal)).toBe(0)
})
