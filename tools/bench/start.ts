import { startProcess, startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { median, rounded, sleep } from './measure.ts'

const runs = 7

/** Time from the start of the process to the first 200. */
async function firstAnswer(start: () => Promise<ServerProcess>, path: string) {
  const started = performance.now()
  const server = await start()
  const response = await fetch(server.url + path)
  await response.arrayBuffer()
  const ms = performance.now() - started
  if (!response.ok) {
    throw new Error(`${path} answered ${response.status}`)
  }
  await sleep(300)
  const memoryMb = await server.memoryMb()
  await server.stop()
  return { ms, memoryMb }
}

/** Measures process start to first answer, on new and on existing data, against a bare node:http server. */
export async function start() {
  await using folder = await temporaryFolder()
  const first = await firstAnswer(() => startServer(folder.path), '/health')
  const samples = []
  const bare = []
  for (let run = 0; run < runs; run++) {
    samples.push(await firstAnswer(() => startServer(folder.path), '/health'))
    bare.push(await firstAnswer(() => startProcess('tools/bench/bare.ts', ['http', '2']), '/'))
  }
  const ms = median(samples.map((sample) => sample.ms))
  const bareMs = median(bare.map((sample) => sample.ms))
  return {
    runs,
    veryFirstStartMs: Math.round(first.ms),
    startMs: Math.round(ms),
    memoryMb: Math.round(median(samples.map((sample) => sample.memoryMb))),
    bareMs: Math.round(bareMs),
    ratioToBare: rounded(ms / bareMs),
  }
}
