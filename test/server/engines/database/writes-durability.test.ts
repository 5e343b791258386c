import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openConnection } from '../../../../server/engines/database/connection.ts'
import { api } from '../../../../shared/api/index.ts'
import type { RouteGroup } from '../../../../shared/contract/route.ts'
import { enroll } from '../../../support/agent.ts'
import { isNight } from '../../../support/night.ts'
import { registerOwner, signInTo } from '../../../support/server.ts'
import { startServerProcess, temporaryFolder } from '../../../support/server-process.ts'
import { belongingWrites } from '../../call/mirrors/writes/belonging.ts'
import { deviceWrites } from '../../call/mirrors/writes/devices.ts'
import { namedWrites } from '../../call/mirrors/writes/named.ts'
import { peopleWrites } from '../../call/mirrors/writes/people.ts'
import { rightsWrites } from '../../call/mirrors/writes/rights.ts'
import type { Prepare, Writes } from '../../call/mirrors/writes/write.ts'

const writes: Writes = { ...belongingWrites, ...deviceWrites, ...namedWrites, ...peopleWrites, ...rightsWrites }

/** Routes without stored effects here: queries, and messages to an agent or a mail server. */
const storesNothing = (route: string) =>
  /^(deviceFileSystem\.|testEmail\.send|devices\.search|deploymentOptions\.tagCapability)/.test(route)

test('every route that writes is covered by the table of writes', () => {
  const groups = Object.entries<RouteGroup>(api.v1)
  const routes = groups.flatMap(([group, { routes: declared }]) =>
    Object.entries(declared).flatMap(([name, { method }]) => (method === 'GET' ? [] : [`${group}.${name}`])),
  )
  const missing = routes.filter((route) => !storesNothing(route) && !Object.hasOwn(writes, route))
  expect(missing).toEqual([])
  expect(Object.keys(writes).filter((name) => name.includes('.') && !routes.includes(name))).toEqual([])
})

const rounds = 3

/** Runs writes of the same kind in different rounds, because some have a common target. */
const rowsOf = (round: number): [string, Prepare][] =>
  Object.entries(writes).filter((_, index) => index % rounds === round)

async function checkIntegrity(directory: string) {
  const connection = await openConnection(join(directory, 'farhand.db'), 'reader')
  try {
    expect(await connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(await connection.all('PRAGMA foreign_key_check')).toEqual([])
  } finally {
    await connection.close()
  }
}

/** By day, `durability.test.ts` kills a process after one write: all writes commit by the same function. */
test.runIf(isNight)('an answered write survives an immediate SIGKILL', async () => {
  const directory = await temporaryFolder()
  let server = await startServerProcess(directory)
  // Keeps the address, so that sessions remain valid.
  const settings = { Urls: server.url }
  const owner = await registerOwner(server.url)
  await enroll(owner)
  for (let round = 0; round < rounds; round++) {
    const rows = rowsOf(round)
    const prepared = await Promise.all(
      rows.map(async ([name, prepare]) => ({ name, write: await prepare(owner).catch(named(name)) })),
    )
    // Writes concurrently, and kills the server right after the last answer.
    await Promise.all(prepared.map(({ name, write }) => write.act().catch(named(name))))
    await server.kill()
    await checkIntegrity(directory)
    server = await startServerProcess(directory, settings)
    const outcomes = prepared.map(({ name, write }) =>
      write.expectStored().then(
        () => [],
        (error: unknown) => [`${name}: ${String(error)}`],
      ),
    )
    expect((await Promise.all(outcomes)).flat()).toEqual([])
  }
  expect((await signInTo(server.url)).user.id).toBe(owner.user.id)
  await server.stop()
})

/** Adds the name of the failed write to an error. */
const named = (name: string) => (error: unknown) => {
  throw new Error(`${name} failed: ${String(error)}`, { cause: error })
}
