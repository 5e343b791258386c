import { randomUUID } from 'node:crypto'
import { WebSocket } from 'ws'
import { openAccount } from '../simulate/fleet.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { withBare, withServer } from '../simulate/server-process.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { percentiles, sleep, timeOf, type Figures, type Round } from './measure.ts'

const keystrokes = 150
/** Pause of a fast typist; each keystroke waits for the previous echo. */
const pauseMs = 5
/** Time until the shell echoes. */
const settleMs = 1_000

/** Types a key and resolves with its echo. */
type Echo = (key: string) => Promise<unknown>

async function echoes(echo: Echo): Promise<Figures> {
  const times: number[] = []
  for (let index = 0; index < keystrokes; index++) {
    times.push(await timeOf(() => echo(String.fromCharCode(97 + (index % 26)))))
    await sleep(pauseMs)
  }
  return percentiles(times)
}

/** Runs `work` with a terminal of a real agent that echoes: viewer, server, agent, pseudo-terminal, and back. */
async function withTerminal(work: (echo: Echo) => Promise<void>): Promise<void> {
  await withServer({}, async (server) => {
    const account = await openAccount(server.url)
    await withRealAgent(server.url, account, async (deviceId) => {
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
      await sleep(settleMs)
      await work((key) => {
        heard = ''
        return Promise.all([type(key), hear(key)])
      })
      await connection.stop()
    })
  })
}

export async function terminal(round: Round): Promise<void> {
  await withTerminal((product) =>
    withBare('echo', [], async ({ url }) => {
      const socket = new WebSocket(url.replace('http', 'ws'))
      await new Promise((resolve) => socket.once('open', resolve))
      const bare: Echo = (key) =>
        new Promise((resolve) => {
          socket.once('message', resolve)
          socket.send(key)
        })
      await round.measure('keystroke until its echo', [product, bare], echoes)
      socket.close()
    }),
  )
}
