import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../tools/processes.mjs'
import { freePort } from '../../tools/simulate/free-port.ts'
import { startRedis } from '../../tools/simulate/redis.ts'
import { serverProgram } from '../support/built-programs.ts'
import { missingForCluster } from '../support/cluster.ts'
import { isNight } from '../support/night.ts'
import { makeDatabase, postgresPrograms, startPostgres, usePostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/server-process.ts'
import { registerOwner, signInTo } from '../support/server.ts'
import { until } from '../support/until.ts'

const secretsFile = '/root/farhand-secrets'

// Starts PostgreSQL, Redis and two servers: in npm run test:scale, and at night.
test.skipIf(missingForCluster || !isNight)(
  'two servers start by the lines of the document, pasted at once',
  { timeout: 120_000 },
  async () => {
    const postgres = await startPostgres(postgresPrograms()!)
    onTestFinished(() => postgres.remove())
    const redis = await startRedis()
    onTestFinished(() => redis.remove())
    const usual = usePostgres(postgres.port)
    const database = (await makeDatabase())!
    usual()
    const folder = await temporaryFolder()
    const document = await readFile(join(root, 'docs', 'scale.md'), 'utf8')
    const lines = /^one &[^]*?^two &$/m.exec(document)![0]
    expect(lines).toContain(secretsFile)
    const urls = { one: `http://127.0.0.1:${await freePort()}`, two: `http://127.0.0.1:${await freePort()}` }
    const functions = Object.entries(urls).map(
      ([name, url]) =>
        `${name}() { Service_DataDirectory='${join(folder, name)}' Service_Urls=${url} '${process.execPath}' '${serverProgram}' --headless "$@"; }`,
    )
    const script = [...functions, lines.replaceAll(secretsFile, join(folder, 'secrets')), 'wait'].join('\n')
    const settings = Object.entries({ ...database.settings, Cluster__RedisUrl: redis.url })
    const env = { ...process.env, ...Object.fromEntries(settings.map(([key, value]) => [`Service_${key}`, value])) }
    const shell = spawn('bash', ['-c', script], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise<void>((resolve) => shell.on('close', () => resolve()))
    onTestFinished(() => {
      process.kill(-shell.pid!, 'SIGKILL')
      return ended
    })
    let output = ''
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    }
    const isUp = (url: string) => {
      expect(output).not.toMatch(/is in use|no data of Farhand|does not have the secrets/)
      return fetch(`${url}/health`).then(
        ({ status }) => status === 200,
        () => false,
      )
    }
    for (const url of Object.values(urls)) {
      await until(() => isUp(url))
    }
    expect(output).toContain('Waiting up to 60 s for the server of')
    const { tenantId } = await registerOwner(urls.one)
    expect((await signInTo(urls.two)).tenantId).toBe(tenantId)
  },
)
