import { expect, test } from 'vitest'
import type { LiveSession } from '../../../../renderer/hooks/use-sessions.ts'
import { filtered, readBoard, sorted, writeBoard } from '../../../../renderer/pages/sessions/session-url.ts'

const session = (id: string, changes: Partial<LiveSession> = {}): LiveSession => ({
  id,
  kind: 'terminal',
  deviceId: `device-${id}`,
  deviceName: `oslo-${id}`,
  principalKind: 'User',
  principalId: 'ada',
  principalName: 'ada@example.org',
  startedAt: `2026-03-14T12:00:0${id}Z`,
  isConnected: true,
  bytesToDevice: 0,
  bytesFromDevice: 0,
  canEnd: true,
  bytesPerSecond: undefined,
  ...changes,
})
const idsOf = (sessions: readonly LiveSession[]) => sessions.map(({ id }) => id)
const board = (query = '') => readBoard(new URLSearchParams(query))

test('the state of the board survives its address', () => {
  const query = 'q=oslo&kind=chat&mine=1&sort=person&desc=1'
  expect(writeBoard(board(query)).toString()).toBe(query)
  expect(board('kind=nothing&sort=nothing')).toMatchObject({ kind: undefined, sort: 'since' })
})

test('text, kind and owner filter together', () => {
  const all = [
    session('1'),
    session('2', { kind: 'chat' }),
    session('3', { principalId: 'grace', principalName: 'Grace' }),
  ]
  expect(idsOf(filtered(all, board('q=GRACE'), 'ada'))).toEqual(['3'])
  expect(idsOf(filtered(all, board('kind=terminal&mine=1'), 'ada'))).toEqual(['1'])
})

test('names are sorted as people count; equal ones by their beginning', () => {
  const all = [
    session('1', { deviceName: 'oslo-10' }),
    session('2', { deviceName: 'oslo-9' }),
    session('3', { deviceName: 'oslo-9' }),
  ]
  expect(idsOf(sorted(all, board('sort=device'), new Map()))).toEqual(['2', '3', '1'])
})

test('sorted by data, rows keep their places while bytes change, and new rows are last', () => {
  const held = new Map([
    ['1', 10],
    ['2', 50],
  ])
  const all = [session('1', { bytesFromDevice: 9_999 }), session('2'), session('3')]
  expect(idsOf(sorted(all, board('sort=traffic&desc=1'), held))).toEqual(['2', '1', '3'])
})
