import { expect, test } from 'vitest'
import { CheckedConnections } from '../../../server/surface/checked-connections.ts'
import type { HubConnection } from '../../../server/engines/signalr/index.ts'
import { manualClock } from '../../support/clock.ts'

test('each connection is checked once, at its time; a removed connection is not checked', () => {
  const clock = manualClock()
  const checked: string[] = []
  const connections = new CheckedConnections(clock, 30_000, ({ id }) => checked.push(id))
  const add = (id: string) => {
    const connection = { id } as HubConnection
    connections.add(connection)
    return connection
  }
  const removed = add('removed')
  clock.advance(1_000)
  add('a')
  connections.remove(removed)
  clock.advance(20_000)
  add('b')
  clock.advance(9_999)
  expect(checked).toEqual([])
  clock.advance(1)
  expect(checked).toEqual(['a'])
  clock.advance(20_000)
  expect(checked).toEqual(['a', 'b'])
  clock.advance(60_000)
  add('c')
  clock.advance(30_000)
  expect(checked).toEqual(['a', 'b', 'c'])
})
