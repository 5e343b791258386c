import { setTimeout as sleep } from 'node:timers/promises'
import { databaseOf } from '../simulate/database.ts'
import { startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { exchange } from './http.ts'
import { medians, timeOf, type Figures, type Round } from './measure.ts'

const starts = 7
/** Time until the memory of a start is steady. */
const settleMs = 300

/** Time from the start of the process to the first answer, and the memory soon after. */
async function firstAnswer(directory: string): Promise<Figures> {
  let server!: ServerProcess
  const ms = await timeOf(async () => {
    server = await startServer(directory)
    await exchange(server.url, { path: '/health' })
  })
  await sleep(settleMs)
  const memoryMb = await server.memoryMb()
  await server.stop()
  return { ms, memoryMb }
}

export async function start(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  // The first start makes the tables, not the database.
  await databaseOf(folder.path)
  round.record('very first start', await firstAnswer(folder.path))
  const all: Figures[] = []
  while (all.length < starts) {
    all.push(await firstAnswer(folder.path))
  }
  round.record('start until the first answer', medians(all))
}
