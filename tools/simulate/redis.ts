import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'

const program = '/usr/bin/redis-server'

export const hasRedis = existsSync(program)

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

async function accepting(port: number): Promise<void> {
  while (!(await accepts(port))) {
    await delay(10)
  }
}

/** Starts a Redis with its own port and folder, which keeps nothing on disk; with `isTls` that port takes TLS alone. */
export async function startRedis(args: readonly string[] = [], { isTls = false } = {}) {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'farhand-redis-'))
  const ports = isTls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)]
  const spawned = () =>
    spawn(program, [...ports, '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...args], { stdio: 'ignore' })
  let child = spawned()
  await accepting(port)
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
  }
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    pid: () => child.pid,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    stop,
    async start() {
      child = spawned()
      await accepting(port)
    },
    command: (...words: string[]) =>
      execFileSync('redis-cli', ['-p', String(port), ...words], { encoding: 'utf8' }).trim(),
    async remove() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
