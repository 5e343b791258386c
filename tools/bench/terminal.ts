import { randomUUID } from 'node:crypto'
import { WebSocket } from 'ws'
import { openAccount } from '../simulate/fleet.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { startProcess, withBare, withServer } from '../simulate/server-process.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { percentile, rounded, sleep } from './measure.ts'

const keystrokes = 500
const warmUp = 50
/** Pause of a fast typist; each keystroke waits for the previous echo. */
const pauseMs = 5

/** Round trip times in milliseconds, without the warm-up. */
async function roundTrips(once: (index: number) => Promise<void>): Promise<number[]> {
  const samples: number[] = []
  for (let index = 0; index < keystrokes + warmUp; index++) {
    const started = performance.now()
    await once(index)
    samples.push(performance.now() - started)
    await sleep(pauseMs)
  }
  return samples.slice(warmUp)
}

const figures = (samples: readonly number[]) => ({
  p50Ms: rounded(percentile(samples, 0.5)),
  p99Ms: rounded(percentile(samples, 0.99)),
})

/** Keystroke to echo: viewer, server, agent, pseudo-terminal running `cat`, and back. */
async function throughServer() {
  return await withServer({ Service_AppOptions__MaxFileTransferSize: '0' }, async (server) => {
    const account = await openAccount(server.url)
    return await withRealAgent(server.url, account, async (deviceId) => {
      let heard = ''
      let wake = () => {}
      const { connection, viewer } = await connectViewer(server.url, account.cookie, {
        ReceiveTerminalOutput: ({ output }) => {
          heard += output
          wake()
        },
      })
      const terminalId = randomUUID()
      const type = async (input: string) => {
        const result = await viewer.SendTerminalInput2({ deviceId, input: { terminalId, input, isRaw: true } })
        if (!result.isSuccess) {
          throw new Error(result.reason ?? 'The input was refused.')
        }
      }
      const hear = async (text: string) => {
        while (!heard.includes(text)) {
          await new Promise<void>((resolve) => (wake = resolve))
        }
      }
      await viewer.CreateTerminalSession2({ deviceId, terminalId })
      await type('exec cat\r')
      await sleep(1000)
      const echoes = () =>
        roundTrips(async (index) => {
          const key = String.fromCharCode(97 + (index % 26))
          heard = ''
          await Promise.all([type(key), hear(key)])
        })
      const alone = await echoes()
      const load = await startProcess('tools/bench/busy-device.ts', [
        server.url,
        account.cookie,
        account.tenantId,
        deviceId,
      ])
      await load.ask('begin')
      const started = performance.now()
      const samples = await echoes()
      const seconds = (performance.now() - started) / 1000
      const { frames, bytes } = await load.ask<{ frames: number; bytes: number }>('end')
      await load.stop()
      const busy = {
        ...figures(samples),
        framesPerSecond: Math.round(frames / seconds),
        downloadMbPerSecond: Math.round(bytes / 1e6 / seconds),
      }
      await connection.stop()
      return { alone, busy }
    })
  })
}

async function bareEcho(): Promise<number[]> {
  return await withBare('echo', [], async ({ url }) => {
    const socket = new WebSocket(url.replace('http', 'ws'))
    await new Promise((resolve) => socket.once('open', resolve))
    const samples = await roundTrips(async () => {
      const echoed = new Promise((resolve) => socket.once('message', resolve))
      socket.send('a')
      await echoed
    })
    socket.close()
    return samples
  })
}

/** Measures keystroke to echo through the server, against a bare WebSocket echo. */
export async function terminal() {
  const { alone, busy } = await throughServer()
  const product = figures(alone)
  const bare = figures(await bareEcho())
  return {
    keystrokes,
    product,
    bare,
    ratioToBare: rounded(product.p50Ms / bare.p50Ms),
    /** Round trips while the device sends a file of 200 MB and a display in motion. */
    productWhileBusy: busy,
  }
}
