import { expect, test } from 'vitest'
import { pathsFor } from '../../../agent/platform/paths.ts'
import { keepInTouch, readEncounter, writeEncounter } from '../../../agent/trust/encounters.ts'
import type { WrongIdentityDto } from '../../../shared/server-identity.ts'
import { until } from '../../support/until.ts'
import { collectingLog, manualClock, temporaryFolder } from '../support.ts'

function contact(takes: boolean) {
  const paths = pathsFor({ dataDir: temporaryFolder() })
  const clock = manualClock()
  const log = collectingLog()
  const told: WrongIdentityDto[] = []
  let refreshed = 0
  const meet = () =>
    keepInTouch({
      paths,
      clock,
      log,
      random: () => 0.5,
      access: { refresh: () => Promise.resolve(void refreshed++) },
      tell(stranger) {
        told.push(stranger)
        return takes ? Promise.resolve() : Promise.reject(new Error('there is no such method'))
      },
    })
  return { paths, clock, log, told, meet, refreshed: () => refreshed }
}

const encounter = { address: 'https://192.0.2.1:5121', expected: 'the server', seen: 'another one', isTold: false }

test('another server at the address is reported once, with its time', async () => {
  const { paths, clock, told, meet } = contact(true)
  writeEncounter(paths, { ...encounter, atMs: clock.now() - 5000 })
  meet()
  await until(() => readEncounter(paths)?.isTold)
  meet()
  const { isTold: _, ...said } = encounter
  expect(told).toEqual([{ ...said, agoMs: 5000 }])
})

test('a failed report is sent again at the next contact', async () => {
  const { paths, clock, log, told, meet } = contact(false)
  writeEncounter(paths, { ...encounter, atMs: clock.now() + 1000 })
  meet()
  await until(() => log.lines.some((line) => line.includes('did not take the report')))
  meet()
  expect(told.map(({ agoMs }) => agoMs)).toEqual([0, 0])
})

test('the addresses of the server are requested within a minute of each contact, at a random time', () => {
  const { clock, meet, refreshed } = contact(true)
  meet()
  clock.advance(29_999)
  expect(refreshed()).toBe(0)
  clock.advance(1)
  expect(refreshed()).toBe(1)
})

test("the server's key is checked repeatedly while connected, and not after", () => {
  const { clock, meet, refreshed } = contact(true)
  const end = meet()
  clock.advance(30_000)
  clock.advance(15 * 60_000)
  clock.advance(15 * 60_000)
  expect(refreshed()).toBe(3)
  end()
  clock.advance(60 * 60_000)
  expect(refreshed()).toBe(3)
})
