import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { download, openFeed } from '../../../server/updates/feed.ts'
import { readRelease } from '../../../server/updates/read-release.ts'
import { unpack } from '../../../server/updates/unpack.ts'
import { writeTarOf, type PackedFile } from '../../../tools/agents/archives.ts'
import { desktopFiles } from '../../../tools/release/headless.ts'
import { mostReleaseBytes, releaseFileName, type ReleaseStatement } from '../../../shared/release.ts'
import { offer, otherKey, serveFeed, stubFiles, trustedKey } from '../../support/installation.ts'
import { manualClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/server-process.ts'

const day = 86_400_000
const never = new AbortController().signal

/** Opens a feed whose time does not pass, unless a test advances a clock of its own. */
const open = (address: string, clock = manualClock()) => openFeed(address, clock)

/** A feed with one release, and what a server makes of it. */
async function feedWith(more: Partial<Parameters<typeof offer>[1]> = {}) {
  const folder = await temporaryFolder()
  const { archive, statement } = await offer(folder, { version: '0.2.0.0', files: stubFiles('0.2.0.0'), ...more })
  const read = async (
    trust: Partial<Parameters<typeof readRelease>[1]> = {},
    address = folder,
    clock = manualClock(),
  ) =>
    readRelease(await open(address, clock).read(releaseFileName, mostReleaseBytes), {
      keys: [trustedKey],
      now: Date.now(),
      newestSeen: 0,
      ...trust,
    })
  const target = join(await temporaryFolder(), 'package')
  const fetched = (address = folder, clock = manualClock()) =>
    download(open(address, clock), statement.files[0]!, target, { signal: never, onProgress: () => {} })
  return { folder, archive, statement, read, target, fetched }
}

describe('the signed file of a feed', () => {
  test('is accepted from a folder and from a web server', async () => {
    const feed = await feedWith()
    expect(await feed.read()).toEqual(feed.statement)
    expect(await feed.read({}, await serveFeed(feed.folder))).toEqual(feed.statement)
  })

  test.each<[string, Partial<ReleaseStatement>, number, string]>([
    [
      'older than one that was seen',
      { signedAt: Date.now() - 2 * day },
      Date.now() - day,
      'An old copy of the feed was rejected',
    ],
    [
      'expired',
      { signedAt: Date.now() - 9 * day, expiresAt: Date.now() - day },
      0,
      'Newer releases may be kept from this server',
    ],
    [
      'of the future',
      { signedAt: Date.now() + 2 * day, expiresAt: Date.now() + 3 * day },
      0,
      'Check the clock of this server',
    ],
  ])('is rejected when it is %s', async (_, changes, newestSeen, sentence) => {
    await expect((await feedWith({ changes })).read({ newestSeen })).rejects.toThrow(sentence)
  })

  test('is rejected without a signature by a trusted key, and with a changed statement', async () => {
    await expect((await feedWith({ key: otherKey })).read()).rejects.toThrow(
      'not signed with a key that this server trusts',
    )
    const feed = await feedWith()
    const file = join(feed.folder, releaseFileName)
    const signed = JSON.parse(readFileSync(file, 'utf8')) as { statement: string }
    const changed = JSON.parse(Buffer.from(signed.statement, 'base64').toString()) as ReleaseStatement
    signed.statement = Buffer.from(JSON.stringify({ ...changed, version: '9.0.0.0' })).toString('base64')
    writeFileSync(file, JSON.stringify(signed))
    await expect(feed.read()).rejects.toThrow('not signed with a key that this server trusts')
    await expect(feed.read({ keys: [] })).rejects.toThrow('built without a release key')
  })

  test('is rejected when it is no release, too large, or missing', async () => {
    const feed = await feedWith()
    writeFileSync(join(feed.folder, releaseFileName), '<html>')
    await expect(feed.read()).rejects.toThrow('cannot be read')
    writeFileSync(join(feed.folder, releaseFileName), 'x'.repeat(mostReleaseBytes + 1))
    await expect(feed.read()).rejects.toThrow('larger than the release says')
    await expect(feed.read({}, join(feed.folder, 'nowhere'))).rejects.toThrow('is not there')
    await expect(feed.read({}, 'http://127.0.0.1:9/')).rejects.toThrow('could not be read from the feed')
  })

  test.each(['file:///etc/passwd', 'http://example.org/feed'])(
    'is not fetched after a redirect to %s',
    async (location) => {
      const feed = await feedWith()
      const address = await serveFeed(feed.folder, {
        [`/${releaseFileName}`]: (response) => response.writeHead(302, { location }).end(),
      })
      await expect(feed.read({}, address)).rejects.toThrow('it redirects to an address that is not https')
    },
  )
})

test('a feed that sends a byte a second holds up neither a check nor a download', async () => {
  const { folder, statement, read, fetched } = await feedWith()
  const clock = manualClock()
  const trickle = (response: ServerResponse) => {
    response.writeHead(200)
    const timer = setInterval(() => {
      clock.advance(1_000)
      response.write(' ')
    }, 5)
    response.on('close', () => clearInterval(timer))
  }
  const address = await serveFeed(folder, {
    [`/${releaseFileName}`]: trickle,
    [`/${statement.files[0]!.path}`]: trickle,
  })
  await expect(read({}, address, clock)).rejects.toThrow('the feed sends too slowly')
  await expect(fetched(address, clock)).rejects.toThrow('the feed sends too slowly')
})

describe('a download', () => {
  test('is kept when length and hash are those of the release', async () => {
    const feed = await feedWith()
    await feed.fetched(await serveFeed(feed.folder))
    expect(readFileSync(feed.target)).toEqual(readFileSync(feed.archive))
  })

  test.each<[string, (archive: string) => void, string]>([
    ['truncated', (archive) => truncateSync(archive, 100), 'ended after 100 of'],
    ['oversized', (archive) => writeFileSync(archive, 'x'.repeat(1_000_000)), 'larger than the release says'],
    ['forged', (archive) => forge(archive), 'differs from the signed release'],
  ])('that is %s leaves nothing', async (_, damage, sentence) => {
    const feed = await feedWith()
    damage(feed.archive)
    await expect(feed.fetched()).rejects.toThrow(sentence)
    await expect(feed.fetched(await serveFeed(feed.folder))).rejects.toThrow(sentence)
    expect(existsSync(feed.target)).toBe(false)
  })

  test('does not follow a link out of the folder of a feed', async () => {
    const feed = await feedWith()
    const outside = join(await temporaryFolder(), 'secret')
    writeFileSync(outside, 'secret')
    symlinkSync(outside, join(feed.folder, 'link'))
    await expect(open(feed.folder).read('link', 100)).rejects.toThrow('it is no file of this folder')
  })
})

function forge(archive: string) {
  const bytes = readFileSync(archive)
  bytes[bytes.length - 1]! ^= 1
  writeFileSync(archive, bytes)
}

describe('a package', () => {
  const packed = async (files: readonly PackedFile[]) => {
    const folder = await temporaryFolder()
    const archive = join(folder, 'a.tar.gz')
    await writeTarOf(files, archive)
    const target = join(folder, 'sub', 'out')
    mkdirSync(join(folder, 'sub'))
    return {
      folder,
      archive,
      target,
      unpacked: (hasLinks = false) => unpack(archive, 'farhand/', target, { signal: never, hasLinks }),
    }
  }

  test('is unpacked below its prefix', async () => {
    const made = await packed([
      { name: 'other/a', content: 'not this' },
      { name: 'farhand/a/b', content: 'x'.repeat(2_000) },
      { name: 'farhand/node', content: '#!/bin/sh' },
    ])
    await made.unpacked()
    expect(readdirSync(made.target, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
      'a',
      join('a', 'b'),
      'node',
    ])
    expect(readFileSync(join(made.target, 'a', 'b'), 'utf8')).toBe('x'.repeat(2_000))
  })

  test.each(['farhand/../../escaped', '/farhand/escaped', 'farhand/./escaped', String.raw`farhand/..\escaped`])(
    'with the entry %s is rejected',
    async (name) => {
      const made = await packed([{ name, content: 'x' }])
      await expect(made.unpacked()).rejects.toThrow('is no path of a package')
      expect(existsSync(join(made.folder, 'escaped'))).toBe(false)
    },
  )

  test('of a bundle is unpacked with links and programs, as the release packed it', async () => {
    const bundle = await temporaryFolder()
    mkdirSync(join(bundle, 'Versions', 'A'), { recursive: true })
    writeFileSync(join(bundle, 'Versions', 'A', 'Helper (GPU)'), 'program', { mode: 0o755 })
    symlinkSync('A', join(bundle, 'Versions', 'Current'))
    symlinkSync('Versions/Current/Helper (GPU)', join(bundle, 'Helper'))
    const made = await packed(desktopFiles(bundle, 'farhand'))
    await expect(made.unpacked()).rejects.toThrow('is no regular file')
    rmSync(made.target, { recursive: true })
    await made.unpacked(true)
    expect(readlinkSync(join(made.target, 'Versions', 'Current'))).toBe('A')
    expect(readFileSync(join(made.target, 'Helper'), 'utf8')).toBe('program')
    expect(statSync(join(made.target, 'Helper')).mode & 0o777).toBe(0o755)
  })

  test.each(['/etc', '../../outside', 'a/../../../outside', ''])('with a link to %j is rejected', async (target) => {
    const made = await packed([{ name: 'farhand/sub/link', target }])
    await expect(made.unpacked(true)).rejects.toThrow('leads out of it')
    expect(existsSync(join(made.target, 'sub', 'link'))).toBe(false)
  })

  test('that ends early is rejected', async () => {
    const made = await packed([{ name: 'farhand/a', content: Array.from({ length: 9_000 }, (_, at) => at).join() }])
    truncateSync(made.archive, 2_000)
    await expect(made.unpacked()).rejects.toThrow('unexpected end of file')
  })
})
