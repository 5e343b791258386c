/**
 * Runs in Wine: defines, starts, stops and removes a service by the code of agent and server. With arguments, the service runs
 * Node with them until the file "stop" appears; without, a service of this program writes what happens to a file. Prints
 * the results as one line of JSON.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { services } from '../../agent/platform/windows/service.ts'
import { answerServiceManager, stopReason } from '../../agent/platform/windows/service-process.ts'
import { quoteArgument } from '../../shared/windows/command-line.ts'

const [, program = '', file = '', ...given] = process.argv
const name = 'Farhand.Agent (wine test)'
const isService = await answerServiceManager()
const manager = await services()

const define = (...args: string[]) =>
  manager.define({
    name,
    displayName: name,
    description: 'Service of a test.',
    commandLine: [process.execPath, ...args].map(quoteArgument).join(' '),
    restartDelayMs: 5_000,
    quietSeconds: 60,
  })
const print = (result: object) => {
  process.stdout.write(`${JSON.stringify(result)}\n`)
  process.exit(0)
}
const until = async (isDone: () => boolean) => {
  const end = performance.now() + 20_000
  while (!isDone() && performance.now() < end) {
    await wait(100)
  }
}
const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function serve() {
  const write = (line: string) => appendFileSync(file, `${line}\n`)
  process.once('SIGTERM', () => {
    void stopReason().then((reason) => {
      write(`stops: ${reason}`)
      process.exit(0)
    })
  })
  setInterval(() => {}, 1_000)
  write(`runs ${process.pid}`)
  if (given.includes('ends')) {
    process.exit(3)
  }
}

/** Starts the service, and stops the service when it has written `count` lines. */
async function startAndStop(count: number) {
  await manager.start(name)
  await until(() => lines().length === count)
  await manager.stop(name)
}

async function control() {
  await define(program, file, 'ends')
  const first = await manager.commandLineOf(name)
  await startAndStop(1)
  const pid = Number(/\d+/.exec(lines()[0] ?? '')?.[0])
  await until(() => !isRunning(pid))
  const hasEnded = !isRunning(pid)
  await define(program, file, 'serves')
  const second = await manager.commandLineOf(name)
  await startAndStop(2)
  await manager.remove(name)
  const isLeft = await manager.has(name)
  const missing = await manager.start(name).catch((error: Error) => error.message)
  const written = lines().map((line) => line.replace(/\d+/, 'PID'))
  print({ isService, first, hasEnded, second, isLeft, missing, written })
}

async function runOther() {
  await define(...given)
  await manager.start(name)
  process.stdout.write('started\n')
  await until(() => existsSync(file))
  await manager.stop(name)
  await manager.remove(name)
  print({})
}

await (isService ? serve() : given.length > 0 ? runOther() : control())
