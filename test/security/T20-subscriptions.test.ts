import { expect, test } from 'vitest'
import { Heartbeats, type Viewer } from '../../server/live/heartbeats.ts'
import type { Call } from '../../server/call.ts'
import { followDevices } from '../../server/services/devices/heartbeats.ts'

const principal = { id: 'ada' } as Viewer['principal']
const ids = Array.from({ length: 100 }, (_, index) => `device-${index}`)
/** Every device can be read. */
const readable = { get: (id: string) => ({ id }) } as unknown as Parameters<typeof followDevices>[2]

test('the connections of a principal have 200,000 subscriptions together, counted once and until they end', () => {
  const heartbeats = new Heartbeats()
  const call = { app: { heartbeats }, principal } as unknown as Call
  const follow = (connection: number) => followDevices(call, String(connection), readable, ids)
  expect(follow(0)).toBeUndefined()
  for (let connection = 0; connection < 2_000; connection++) {
    expect(follow(connection)).toBeUndefined()
  }
  expect(heartbeats.countOf(principal)).toBe(200_000)
  expect(follow(2_000)).toBe('Too many subscriptions. Your connections together may have 200000.')
  heartbeats.unfollow('0', [...ids, ...ids, 'unknown'])
  expect(follow(2_000)).toBeUndefined()
  heartbeats.drop('1')
  expect([follow(1), follow(1)]).toEqual([undefined, expect.stringContaining('Too many')])
  for (let connection = 0; connection <= 2_000; connection++) {
    heartbeats.drop(String(connection))
  }
  expect(heartbeats.countOf(principal)).toBe(0)
})
