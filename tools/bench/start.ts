import { databaseOf } from '../simulate/database.ts'
import { startProcess, startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { sleep, timeOf, type Figures, type Round } from './measure.ts'

const starts = 7
/** Time until the memory of a start is steady. */
const settleMs = 300

/** Time from the start of the process to the first 200, and the memory soon after. */
async function firstAnswer(starting: () => Promise<ServerProcess>, path: string): Promise<Figures> {
  let server!: ServerProcess
  const ms = await timeOf(async () => {
    server = await starting()
    const { ok } = await fetch(server.url + path)
    if (!ok) {
      throw new Error(`${path} was not answered with 200.`)
    }
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
  const ours = () => firstAnswer(() => startServer(folder.path), '/health')
  const bare = () => firstAnswer(() => startProcess('tools/bench/bare.ts', ['http', '2']), '/')
  round.record('very first start', await ours())
  await round.measure('start until the first answer', [ours, bare], (answer) => answer(), starts)
}
