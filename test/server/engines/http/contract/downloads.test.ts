import { createHash } from 'node:crypto'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { writeFileList } from '../../../../../tools/agents/downloads.ts'
import { enroll } from '../../../../support/agent.ts'
import { manualClock } from '../../../../support/clock.ts'
import { some } from '../../../../support/night.ts'
import { rawRequest } from '../../../../support/raw-request.ts'
import { startTestServer, useTestServer } from '../../../../support/server.ts'
import { temporaryFolder, type AtEnd } from '../../../../support/server-process.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex').toUpperCase()

const files = {
  'Version.txt': '\ufeff1.2.3\r\n',
  'release-notes.md': '# New\n\n*Everything*',
  'linux-x64/Farhand.Agent.bundle.zip': 'bundle',
  'linux-x64/Farhand.Agent.Installer': '#!/bin/sh',
  '.hidden': 'secret',
}

/** Makes a server for one test; for all tests with `atEnd` of their file. */
async function serverWithFiles(settings: Record<string, string> = {}, atEnd: AtEnd = onTestFinished) {
  const outer = await temporaryFolder(atEnd)
  const folder = join(outer, 'downloads')
  const write = async (name: string, text: string) => {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  for (const [name, text] of Object.entries(files)) {
    await write(name, text)
  }
  await writeFile(join(outer, 'outside.txt'), 'outside')
  const clock = manualClock()
  const server = await startTestServer({ clock, settings: { DownloadsDirectory: folder, ...settings } })
  atEnd(() => server.stop())
  return { server, visitor: server.visitor(), write, folder, outer, clock }
}

/** Server for tests that change none of its files. */
const scene = {} as Awaited<ReturnType<typeof serverWithFiles>>
const ends: Parameters<AtEnd>[0][] = []
beforeAll(async () => Object.assign(scene, await serverWithFiles({}, (work) => void ends.push(work))))
afterAll(async () => {
  for (const end of ends.toReversed()) {
    await end()
  }
})

describe('downloads', () => {
  test('are served unchanged, with the headers needed to resume a broken download', async () => {
    const { visitor } = scene
    const path = '/downloads/linux-x64/Farhand.Agent.Installer'
    const whole = await visitor.fetch(path)
    expect([whole.status, await whole.text()]).toEqual([200, '#!/bin/sh'])
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '9',
      'accept-ranges': 'bytes',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    })
    const head = await visitor.fetch(path, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '9', ''])
    const part = await visitor.fetch(path, { headers: { range: 'bytes=2-' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-8/9', '/bin/sh'])
    const known = await rawRequest(visitor.url, path, { headers: { 'if-none-match': whole.headers.get('etag')! } })
    expect(known.status).toBe(304)
  })

  test('a range of a text file counts bytes of the file, not of its compressed encoding', async () => {
    const { visitor, write } = scene
    await write('long.txt', 'x'.repeat(5_000) + 'end')
    const headers = { range: 'bytes=-2003', 'accept-encoding': 'gzip' }
    const part = await visitor.fetch('/downloads/long.txt', { headers })
    expect([part.status, part.headers.get('content-encoding')]).toEqual([206, null])
    expect(await part.text()).toBe('x'.repeat(2_000) + 'end')
  })

  test('a range beyond the end is 416', async () => {
    const { visitor } = scene
    const response = await visitor.fetch('/downloads/Version.txt', { headers: { range: 'bytes=100-' } })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect(await response.json()).toMatchObject({ title: 'Range Not Satisfiable' })
  })

  test('an unknown file is 404 without the page', async () => {
    const { visitor } = scene
    for (const path of [
      '/downloads',
      '/downloads/',
      '/downloads/nothing',
      '/downloads/linux-x64',
      '/downloads/.hidden',
    ]) {
      const response = await visitor.fetch(path, { headers: { accept: 'text/html' }, redirect: 'manual' })
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        404,
        'application/problem+json',
      ])
    }
  })
})

describe('T08: no path leads out of the folder', () => {
  test.each(
    some(
      [
        '/assets/..%2f..%2f..%2fpackage.json',
        '/downloads/../outside.txt',
        '/downloads/%2e%2e/outside.txt',
        '/downloads/..%2foutside.txt',
        '/downloads/%2e%2e%2foutside.txt',
        '/downloads/..%5coutside.txt',
        '/downloads/linux-x64/../../outside.txt',
        '/downloads//../outside.txt',
        '/downloads/%252e%252e/outside.txt',
        '/downloads/..;/outside.txt',
        '/downloads/%00/../../outside.txt',
        '/downloads/%2fetc%2fpasswd',
      ],
      3,
    ),
  )('%s', async (path) => {
    const { status, text } = await rawRequest(scene.server.url, path)
    expect([400, 404]).toContain(status)
    expect(text).not.toMatch(/outside\b.*$|root:|"dependencies"/)
  })
})

describe.skipIf(process.platform === 'win32')('T08: no link leads out of the folder', () => {
  test('to a file, to a folder, or over two links, though links within the folder are followed', async () => {
    const { visitor, folder, outer } = await serverWithFiles()
    await symlink(join(outer, 'outside.txt'), join(folder, 'file.txt'))
    await symlink(outer, join(folder, 'folder'))
    await symlink('file.txt', join(folder, 'second.txt'))
    await symlink('/etc', join(folder, 'linux-x64', 'etc'))
    await symlink('Version.txt', join(folder, 'latest.txt'))
    const paths = ['file.txt', 'folder/outside.txt', 'folder%2foutside.txt', 'second.txt', 'linux-x64/etc/passwd']
    for (const path of paths) {
      expect([path, (await visitor.fetch(`/downloads/${path}`)).status]).toEqual([path, 404])
    }
    expect((await visitor.fetch('/downloads/latest.txt')).status).toBe(200)
  })

  test('nor for the notes, the version and the hash of a program', async () => {
    const { server, folder, outer, clock } = await serverWithFiles()
    const owner = await server.owner()
    for (const name of ['release-notes.md', 'Version.txt', 'linux-x64/Farhand.Agent.Installer']) {
      await rm(join(folder, name))
      await symlink(join(outer, 'outside.txt'), join(folder, name))
    }
    clock.advance(5_000)
    const answers = await Promise.all(
      [
        '/api/v1/version/release-notes',
        '/api/v1/version/agent',
        `/api/appliance/v1/deployment?tenantId=${owner.tenantId}`,
      ].map(async (path) => (await owner.fetch(path)).text()),
    )
    expect(answers.join()).not.toContain('outside')
    expect(JSON.parse(answers[2]!)).toMatchObject({ installers: [] })
  })

  test('but the folder itself may be a link', async () => {
    const { folder, outer } = await serverWithFiles()
    await symlink(folder, join(outer, 'link'))
    const server = await useTestServer({ settings: { DownloadsDirectory: join(outer, 'link') } })
    expect((await server.visitor().fetch('/downloads/Version.txt')).status).toBe(200)
  })
})

describe('the version file', () => {
  test('is read without byte order mark and line end, and again when it changes', async () => {
    const { server, visitor, write, clock } = await serverWithFiles()
    expect(await visitor.versions.agent({})).toBe('1.2.3.0')
    const owner = await server.owner()
    const agent = await enroll(owner)
    const isOutdated = async () => (await owner.devices.get({ params: { deviceId: agent.id } })).isOutdated
    expect(await isOutdated()).toBe(true)
    await write('Version.txt', agent.report().agentVersion!)
    clock.advance(5_000)
    await expect.poll(isOutdated).toBe(false)
    await write('Version.txt', 'latest')
    clock.advance(5_000)
    await expect.poll(() => visitor.versions.agent({}).catch(({ status }: { status: number }) => status)).toBe(404)
    expect(await isOutdated()).toBe(false)
  })
})

test('release notes are text, or JSON when asked for, and 404 without a file', async () => {
  const { visitor, folder } = await serverWithFiles()
  const path = '/api/v1/version/release-notes'
  const plain = await visitor.fetch(path)
  expect([plain.headers.get('content-type'), await plain.text()]).toEqual([
    'text/plain; charset=utf-8',
    files['release-notes.md'],
  ])
  expect(await visitor.versions.releaseNotes({})).toBe(files['release-notes.md'])
  await rm(join(folder, 'release-notes.md'))
  expect((await visitor.fetch(path)).status).toBe(404)
})

describe('bundle metadata', () => {
  const metadata = {
    brandName: 'Farhand',
    publisher: 'Farhand',
    runtime: 'linux-x64',
    version: '1.2.3.0',
    bundleDownloadUrl: '/downloads/linux-x64/Farhand.Agent.bundle.zip',
    bundleSha256: sha256('bundle'),
    installerDownloadUrl: '/downloads/linux-x64/Farhand.Agent.Installer',
    installerSha256: sha256('#!/bin/sh'),
  }

  test.each(some(['linux-x64', 'LinuxX64', 'LINUXX64', 'Linux-X64', '4'], 2))(
    'is found by %s, on both paths',
    async (runtime) => {
      const { visitor } = scene
      for (const path of ['/api/agent/updates/get-bundle-metadata/', '/api/agent-update/get-bundle-metadata/']) {
        const response = await visitor.fetch(path + runtime)
        const release = { statement: expect.any(String), signature: expect.any(String) }
        expect([response.status, await response.json()]).toEqual([200, { ...metadata, release }])
        expect(response.headers.get('cache-control')).toBe('public, max-age=600')
      }
    },
  )

  test('changes at once with the files', async () => {
    const { visitor, write } = await serverWithFiles()
    const get = () => visitor.agentUpdates.metadata({ params: { runtime: 'linux-x64' } })
    expect((await get()).bundleSha256).toBe(metadata.bundleSha256)
    await write('linux-x64/Farhand.Agent.bundle.zip', 'better')
    expect((await get()).bundleSha256).toBe(sha256('better'))
  })

  test('names the files after the configured brand', async () => {
    const { visitor, write } = await serverWithFiles({ Branding__BrandName: 'Ada & Söhne', Branding__Publisher: 'Ada' })
    await write('linux-x64/Ada___S_hne.Agent.bundle.zip', 'bundle')
    await write('linux-x64/Ada___S_hne.Agent.Installer', '#!/bin/sh')
    const { brandName, publisher, bundleDownloadUrl } = await visitor.agentUpdates.metadata({
      params: { runtime: 'linux-x64' },
    })
    expect([brandName, publisher, bundleDownloadUrl]).toEqual([
      'Ada & Söhne',
      'Ada',
      '/downloads/linux-x64/Ada___S_hne.Agent.bundle.zip',
    ])
  })

  test('for Windows names the script of our builds, and the program of builds that have no script', async () => {
    const { visitor, write } = await serverWithFiles()
    const installer = async () =>
      (await visitor.agentUpdates.metadata({ params: { runtime: 'win-x64' } })).installerDownloadUrl
    await write('win-x64/Farhand.Agent.bundle.zip', 'bundle')
    await write('win-x64/Farhand.Agent.Installer.exe', 'MZ')
    expect(await installer()).toBe('/downloads/win-x64/Farhand.Agent.Installer.exe')
    await write('win-x64/Farhand.Agent.Installer.ps1', '#')
    expect(await installer()).toBe('/downloads/win-x64/Farhand.Agent.Installer.ps1')
  })

  test.each([
    ['solaris', '', 400, undefined],
    ['5', '', 400, undefined],
    ['linux-arm64', '', 404, 'Bundle not found'],
    ['LinuxArm64', '', 404, 'Bundle not found'],
    ['win-x64', '', 404, 'Bundle not found'],
    ['linux-x64', 'linux-x64/Farhand.Agent.Installer', 404, 'Installer not found'],
    ['linux-x64', 'Version.txt', 500, 'Failed to retrieve agent version.'],
  ])('for %s without %j is %i', async (runtime, missing, status, detail) => {
    const { visitor, folder, clock } = missing === '' ? scene : await serverWithFiles()
    if (missing !== '') {
      await rm(join(folder, missing))
      clock.advance(5_000)
    }
    const get = () => visitor.fetch(`/api/agent/updates/get-bundle-metadata/${runtime}`)
    await expect.poll(async () => (await get()).status).toBe(status)
    const response = await get()
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ status, ...(detail !== undefined && { detail }) })
  })
})

test('the deploy page offers the systems with an installer file', async () => {
  const { server } = await serverWithFiles()
  const owner = await server.owner()
  expect(await owner.applianceStatus.deployment({ tenantId: owner.tenantId })).toEqual({
    serverUrl: server.url,
    serverPin: null,
    isReachableFromNetwork: false,
    instanceId: null,
    installers: [
      { runtime: 'linux-x64', downloadUrl: '/downloads/linux-x64/Farhand.Agent.Installer', packageUrl: null },
    ],
    // Builds would not be written to the chosen folder.
    canBuildAgents: false,
  })
})

describe('a folder with the list of its build', () => {
  async function serverWithBuild() {
    const scene = await serverWithFiles()
    await writeFileList(join(scene.folder, 'linux-x64'))
    const metadata = async () => {
      const answer = await scene.visitor.fetch('/api/agent/updates/get-bundle-metadata/linux-x64')
      return { status: answer.status, ...((await answer.json()) as object) }
    }
    return { ...scene, metadata, bundle: '/downloads/linux-x64/Farhand.Agent.bundle.zip' }
  }

  test('serves what was built', async () => {
    const { visitor, metadata, bundle } = await serverWithBuild()
    expect(await metadata()).toMatchObject({ status: 200, bundleSha256: sha256('bundle') })
    expect(await (await visitor.fetch(bundle)).text()).toBe('bundle')
  })

  test('names a file that was written by half and serves it nowhere, while its other files are served', async () => {
    const { visitor, write, metadata, bundle } = await serverWithBuild()
    await write('linux-x64/Farhand.Agent.bundle.zip', 'bun')
    const reason = `linux-x64/Farhand.Agent.bundle.zip differs from the built file: its SHA-256 is ${sha256('bun')} instead of ${sha256('bundle')}. `
    expect(await metadata()).toMatchObject({ status: 500, detail: expect.stringContaining(reason) })
    for (const path of [bundle, bundle.replace('x64/', 'x64//'), bundle.replace('bundle', '%62undle')]) {
      const answer = await visitor.fetch(path)
      expect([answer.status, await answer.json()]).toEqual([
        500,
        expect.objectContaining({ detail: expect.stringContaining(reason) }),
      ])
    }
    expect((await visitor.fetch('/downloads/linux-x64/Farhand.Agent.Installer')).status).toBe(200)
  })

  test('names a file that no build wrote, and a list that is damaged', async () => {
    const { visitor, write, bundle } = await serverWithBuild()
    await write('linux-x64/Other.zip', 'planted')
    const detailOf = async (path: string) => ((await (await visitor.fetch(path)).json()) as { detail: string }).detail
    expect(await detailOf('/downloads/linux-x64/Other.zip')).toContain(
      'linux-x64/Other.zip does not belong to the build',
    )
    await write('linux-x64/files.json', '{"Farhand.Agent.bun')
    expect(await detailOf(bundle)).toContain('linux-x64/files.json is damaged.')
  })
})
