import { inParallel } from '../shared/in-parallel.ts'
import { build } from './build.mjs'
import { answerHelp, readOptions } from './help.mjs'
import { demoAccount, registerFleet, signIn } from './simulate/fleet.ts'
import { startBuiltAgent } from './simulate/real-agent.ts'
import { startServer } from './simulate/server-process.ts'
import { temporaryFolder } from './simulate/temporary-folder.ts'

answerHelp(`npm run demo [-- --devices N] [-- --port N] [-- --offline SHARE] [-- --here]

A server on throw-away data with simulated devices and an account, for looking and measuring. Simulated devices take no
sessions: --here adds one that does.

  --devices N       how many devices (default 1000)
  --port N          port of the server on this machine (default 5120)
  --offline SHARE   share of the devices that stay offline, 0 to 1 (default 0.15)
  --here            add this machine, with the real agent: whoever signs in to the demo can control it`)

const { values } = readOptions({
  options: {
    devices: { type: 'string', default: '1000' },
    port: { type: 'string', default: '5120' },
    offline: { type: 'string', default: '0.15' },
    here: { type: 'boolean', default: false },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const heartbeatMs = 30_000
const pingMs = 15_000

async function demo(): Promise<void> {
  await using folder = await temporaryFolder()
  await using server = await startServer(folder.path, { Service_Urls: `http://127.0.0.1:${values.port}` })
  const { agents } = await registerFleet(server.url, Number(values.devices))
  const online = agents.filter((_, index) => (index * 0.618) % 1 >= Number(values.offline))
  await inParallel(online, 20, (agent) => agent.connect(server.url))
  say(`${server.url}  ${online.length} of ${agents.length} devices online`)
  say(`Sign in with ${demoAccount.email} and ${demoAccount.password}. Ctrl+C ends the demo and removes its data.`)

  setInterval(() => online.forEach((agent) => agent.ping()), pingMs)
  online.forEach((agent, index) => {
    const beat = () => {
      if (agent.isOpen) {
        agent.update().catch(() => {})
      }
    }
    // Distributed evenly, like a real fleet.
    setTimeout(() => setInterval(beat, heartbeatMs), (heartbeatMs * index) / online.length)
  })

  await using _agent = values.here ? await startBuiltAgent(server.url, await signIn(server.url)) : undefined
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}

await build()
await demo().catch(({ message }: Error) => {
  // The server has said why, such as a port in use.
  process.stderr.write(`${message}\n`)
  process.exit(1)
})
process.exit(0)
