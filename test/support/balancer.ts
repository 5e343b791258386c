import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../tools/processes.mjs'
import { temporaryFolder, type AtEnd } from './server-process.ts'
import { until } from './until.ts'

/** HAProxy as docs/scale.md sets it up: each request goes to the next server, whatever its client. */
const configuration = (port: number, urls: readonly string[]) => `global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout client 10m
  timeout server 10m
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
  http-check disable-on-404
  default-server check inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
${urls.map((url, index) => `  server s${index} ${new URL(url).host}`).join('\n')}
`

/** Balancers beside HAProxy, with the configuration that docs/scale.md has. */
export const otherBalancers = ['nginx', 'caddy'] as const
type OtherBalancer = (typeof otherBalancers)[number]
export const balancers = ['haproxy', ...otherBalancers] as const
export type Balancer = (typeof balancers)[number]

/** Configuration of docs/scale.md, with other addresses. */
function documented(kind: OtherBalancer, port: number, [one = '', two = '']: readonly string[]): string {
  const text = readFileSync(join(root, 'docs', 'scale.md'), 'utf8')
  const [, block] = new RegExp(`\`\`\`${kind}\n(.*?)\`\`\``, 's').exec(text)!
  const addresses = { '127.0.0.1:5131': new URL(one).host, '127.0.0.1:5132': new URL(two).host, '8080': String(port) }
  return Object.entries(addresses).reduce((changed, [before, now]) => changed.replaceAll(before, now), block!)
}

/** Program of a balancer, with its whole configuration and its arguments. */
function programOf(kind: Balancer, urls: readonly string[], port: number, folder: string) {
  const file = join(folder, 'balancer.conf')
  if (kind === 'haproxy') {
    return { file, text: configuration(port, urls), args: ['-db', '-q', '-f', file] }
  }
  const block = documented(kind, port, urls)
  if (kind === 'caddy') {
    const text = `{\n  admin off\n  storage file_system ${folder}\n}\n${block}`
    return { file, text, args: ['run', '--adapter', 'caddyfile', '--config', file] }
  }
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const text = `daemon off;\npid ${folder}/pid;\nerror_log stderr crit;\nevents {}\nhttp {\naccess_log off;\n${folders.join('\n')}\n${block}}\n`
  return { file, text, args: ['-p', folder, '-c', file] }
}

interface BalancerOptions {
  kind: Balancer
  urls: readonly string[]
  port: number
}

/** Starts a balancer in front of servers. */
export async function startBalancer({ kind, urls, port }: BalancerOptions, atEnd: AtEnd): Promise<void> {
  const { file, text, args } = programOf(kind, urls, port, await temporaryFolder(atEnd))
  await writeFile(file, text)
  const child = spawn(kind, args, { stdio: ['ignore', 'ignore', kind === 'caddy' ? 'ignore' : 'inherit'] })
  const ended = once(child, 'close')
  atEnd(async () => {
    child.kill('SIGTERM')
    await ended
  })
  await until(async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.ok === true)
}
