import { expect, test } from 'vitest'
import type { RouteCall } from '../../../server/call/call.ts'
import { admitFeed } from '../../../server/events/feed.ts'
import { OpenFeeds } from '../../../server/events/open-feeds.ts'

const readerOf = (id: string, tenantId: string | null) =>
  ({ id, tenantId, credential: { kind: 'BearerToken', familyId: '' } }) as const

const open = (feeds: OpenFeeds, tenantId: string, readers: number) => {
  let opened = 0
  for (let index = 0; index < readers; index++) {
    const reader = readerOf(`${tenantId} ${index}`, tenantId)
    if (!feeds.isFull(reader)) {
      feeds.add(reader)
      opened++
    }
  }
  return opened
}

test('a tenant that opens as many feeds as it can leaves some for the others (T44)', () => {
  const feeds = new OpenFeeds()
  expect(open(feeds, 'greedy', 2_000)).toBe(500)
  expect(open(feeds, 'second', 2_000)).toBe(250)
  expect(open(feeds, 'third', 100)).toBe(100)
  const reader = readerOf('somebody', 'third')
  expect(feeds.isFull(reader)).toBe(false)
})

test('an account has 20 feeds at most, and a closed one makes room', () => {
  const feeds = new OpenFeeds()
  const reader = readerOf('reader', null)
  for (let index = 0; index < 20; index++) {
    expect(feeds.isFull(reader)).toBe(false)
    feeds.add(reader)
  }
  expect(feeds.isFull(reader)).toBe(true)
  feeds.remove(reader)
  expect(feeds.isFull(reader)).toBe(false)
})

test('of feeds that are admitted before the first of them begins, 20 are, until a response is closed', () => {
  const end = new AbortController()
  const app = { events: { feeds: new OpenFeeds() } }
  const admit = () =>
    admitFeed({ app, principal: readerOf('reader', null), closed: () => end.signal } as unknown as RouteCall)
  for (let index = 0; index < 20; index++) {
    admit()
  }
  expect(admit).toThrow('Too many feeds are open.')
  end.abort()
  expect(app.events.feeds.isFull(readerOf('reader', null))).toBe(false)
})
