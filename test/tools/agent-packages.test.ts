import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  ensurePackage,
  nativePackages,
  nodePackages,
  packageAtHand,
  type NpmPackage,
} from '../../tools/agents/packages.ts'
import { root } from '../../tools/processes.mjs'

const name = 'farhand-test-package'
const version = `1.0.${process.pid}`
const integrityOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`

/** A registry with one package, as npm asks it; counts what is downloaded. */
async function registry() {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-registry-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'package', 'bin'), { recursive: true })
  mkdirSync(join(folder, 'package', 'include'))
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify({ name, version }))
  writeFileSync(join(folder, 'package', 'bin', 'node'), 'a program')
  spawnSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder })
  const bytes = readFileSync(join(folder, 'package.tgz'))
  let downloads = 0
  const server = createServer((request, answer) => {
    if (request.url?.endsWith('.tgz')) {
      downloads++
      answer.end(bytes)
      return
    }
    const tarball = `http://${request.headers.host}/package.tgz`
    answer.setHeader('content-type', 'application/json')
    answer.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: version },
        versions: { [version]: { name, version, dist: { tarball } } },
      }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, integrity: integrityOf(bytes), downloads: () => downloads }
}

/** Has npm ask this registry, with a cache of its own. */
function askNpmAt(url: string) {
  const cache = mkdtempSync(join(tmpdir(), 'farhand-npm-'))
  const settings = { npm_config_registry: url, npm_config_cache: cache, npm_config_fetch_retries: '0' }
  Object.entries(settings).forEach(([key, value]) => vi.stubEnv(key, value))
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(cache, { recursive: true, force: true })
    rmSync(join(root, 'dist', 'packages', `${name}-${version}`), { recursive: true, force: true })
  })
}

function fetching(wanted: NpmPackage) {
  const steps: string[] = []
  return { steps, folder: ensurePackage(wanted, { begin: (step) => steps.push(step), made: () => {} }) }
}

describe('a package for another system', { timeout: 60_000 }, () => {
  test('is fetched once, without headers and other build files', async () => {
    const { url, integrity, downloads } = await registry()
    askNpmAt(url)
    const first = fetching({ name, version, integrity })
    const folder = await first.folder
    expect(first.steps).toEqual([`Fetching ${name} ${version}`])
    expect([existsSync(join(folder, 'bin', 'node')), existsSync(join(folder, 'include'))]).toEqual([true, false])
    const second = fetching({ name, version, integrity })
    expect([await second.folder, second.steps, downloads()]).toEqual([folder, [], 1])
  })

  test('whose hash differs from the recorded hash is not used', async () => {
    const { url, integrity } = await registry()
    askNpmAt(url)
    const wanted = { name, version, integrity: integrityOf(Buffer.from('something else')) }
    await expect(fetching(wanted).folder).rejects.toThrow(
      `${name}@${version} from the npm registry is not what was recorded, so it is not used: its hash should be ` +
        `${wanted.integrity} and is ${integrity}.`,
    )
    expect(packageAtHand(wanted)).toBeUndefined()
  })

  test('cannot be fetched without the registry, and the error says what to do', async () => {
    askNpmAt('http://127.0.0.1:9/')
    await expect(fetching({ name, version, integrity: '' }).folder).rejects.toThrow(
      /^farhand-test-package@1\.0\.\d+ cannot be fetched from the npm registry \(.*ECONNREFUSED.*\)\. Building agents for other systems needs the network the first time: connect this machine, or /,
    )
  })
})

test('every part of a bundle has a recorded hash', () => {
  expect(nativePackages('win-x64').map((each) => each.name)).toEqual([
    '@lydell/node-pty-win32-x64',
    '@img/sharp-win32-x64',
    '@koromix/koffi-win32-x64',
  ])
  expect(nativePackages('linux-arm64').map((each) => each.name)).toEqual([
    '@lydell/node-pty-linux-arm64',
    '@img/sharp-linux-arm64',
    '@img/sharp-libvips-linux-arm64',
  ])
  const all = Object.keys(nodePackages).flatMap((runtime) => nativePackages(runtime as keyof typeof nodePackages))
  for (const { integrity } of [...all, ...Object.values(nodePackages)]) {
    expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/)
  }
})
