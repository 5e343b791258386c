import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder, type AtEnd } from './server-process.ts'
import { until } from './until.ts'

/** HAProxy as docs/scale.md sets it up: each request goes to the next server, whatever its client. */
const configuration = (port: number, urls: readonly string[]) => `global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  timeout check 5s
  option redispatch
frontend all
  bind 127.0.0.1:${port}
  default_backend servers
backend servers
  balance roundrobin
  option forwardfor
  option httpchk GET /health
  default-server check inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
${urls.map((url, index) => `  server s${index} ${new URL(url).host}`).join('\n')}
`

/** Starts a balancer in front of servers; returns its address. */
export async function startBalancer(urls: readonly string[], port: number, atEnd: AtEnd): Promise<void> {
  const file = join(await temporaryFolder(atEnd), 'haproxy.cfg')
  await writeFile(file, configuration(port, urls))
  const child = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'close')
  atEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await until(async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.ok === true)
}
