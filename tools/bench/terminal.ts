import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveDevice } from '../simulate/served-device.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { percentiles, timeOf, type Round } from './measure.ts'

const keystrokes = 150
/** Pause of a fast typist; each keystroke waits for the previous echo. */
const pauseMs = 5
/** Time until the shell echoes. */
const settleMs = 1_000

/** Keystroke in a terminal of a real agent until its echo: viewer, server, agent, pseudo-terminal, and back. */
export async function terminal(round: Round): Promise<void> {
  await using served = await serveDevice()
  const { server, account, device } = served
  let received = ''
  let wake = () => {}
  const { connection, viewer } = await connectViewer(server.url, account.cookie, {
    ReceiveTerminalOutput: ({ output }) => {
      received += output
      wake()
    },
  })
  const [deviceId, terminalId] = [device.id, randomUUID()]
  const type = async (input: string) => {
    const result = await viewer.SendTerminalInput2({ deviceId, input: { terminalId, input, isRaw: true } })
    if (!result.isSuccess) {
      throw new Error(result.reason ?? 'The input was refused.')
    }
  }
  const echo = async (key: string) => {
    received = ''
    await type(key)
    while (!received.includes(key)) {
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  await viewer.CreateTerminalSession2({ deviceId, terminalId })
  await type('exec cat\r')
  await sleep(settleMs)
  const times: number[] = []
  for (let index = 0; index < keystrokes; index++) {
    times.push(await timeOf(() => echo(String.fromCharCode(97 + (index % 26)))))
    await sleep(pauseMs)
  }
  round.record('keystroke until its echo', percentiles(times))
  await connection.stop()
}
