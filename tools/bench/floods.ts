import { startFlood, watchHealth } from '../simulate/flood.ts'
import { startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { percentiles, within, type Figures, type Round } from './measure.ts'

const kinds = ['requests', 'chunks', 'halfMessages', 'halfBodies', 'messages', 'connects', 'all']
const calmSeconds = 3

async function watch(server: ServerProcess, seconds: number): Promise<Figures> {
  const { times, failures, peakMb } = await watchHealth(server, within(seconds))
  return { ...percentiles(times), peakMb, answers: times.length, failures }
}

/** Floods a fresh server from anonymous peers of one kind, and of all kinds together. */
export async function floods(round: Round): Promise<void> {
  for (const kind of kinds.filter((name) => round.wants(name))) {
    await using folder = await temporaryFolder()
    await using server = await startServer(folder.path)
    round.record(`before the flood of ${kind}`, await watch(server, calmSeconds))
    using _flood = startFlood(server.url, kind === 'all' ? [] : [kind])
    round.record(`flood of ${kind}`, await watch(server, round.number('seconds', 15)))
  }
}
