import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { join, posix, sep, basename, dirname } from 'node:path'
import type { AgentBundleMetadataDto, RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import type { Clock } from '../ground/clock.ts'
import type { Config } from '../settings/config.ts'
import { AppError, notFound } from '../ground/errors.ts'
import { z } from 'zod'
import { parseJson } from '../../shared/contract/parse-json.ts'

/** Written by tools/agents/downloads.ts beside the files of a build; folders of other builds have none. */
const listName = 'files.json'
/** SHA-256 of each file of the build, by its name. */
const FileList = z.record(z.string(), z.string())

/**
 * Returns the reason why a file of the downloads folder differs from the build of its folder: half written, of another
 * build, or added by hand. Returns undefined for a file of the build, and in a folder without a list.
 */
async function foreignReason(
  directory: string,
  path: string,
  hash: () => Promise<string>,
): Promise<string | undefined> {
  const folder = dirname(path)
  const text = await readFile(join(directory, folder, listName), 'utf8').catch(() => undefined)
  const name = basename(path)
  if (text === undefined || name === listName) {
    return undefined
  }
  const list = FileList.safeParse(parseJson(text)).data
  if (list === undefined) {
    return `${join(folder, listName)} is damaged`
  }
  const expected = list[name]
  if (expected === undefined) {
    return `${path} does not belong to the build in its folder`
  }
  const actual = await hash()
  return actual === expected.toUpperCase()
    ? undefined
    : `${path} differs from the built file: its SHA-256 is ${actual} instead of ${expected.toUpperCase()}`
}

/** Interval of checking the version file. */
const versionCheckMs = 5_000

/** Current files for a system. */
export type OfferedFiles = Omit<AgentBundleMetadataDto, 'release'> & {
  /** SHA-256 of the bundle as tar.gz; null for systems without one. */
  tarSha256: string | null
}

type Brand = Pick<Config['branding'], 'brandName' | 'publisher'>

/**
 * The agent release that this server offers: version, notes, and a program for each system, from the downloads folder.
 */
export class AgentRelease {
  readonly directory: string
  readonly #brand: Brand
  readonly #hashes = new Map<string, { stamp: string; sha256: Promise<string> }>()
  #version: string | undefined

  constructor(directory: string, brand: Brand) {
    this.directory = directory
    this.#brand = brand
  }

  /** Reads the version file now and whenever it changes. Returns a stop function. */
  async watch(clock: Clock): Promise<() => void> {
    const read = async () => {
      this.#version = readVersion(await this.#readText('Version.txt'))
    }
    await read()
    return clock.every(versionCheckMs, () => void read())
  }

  /** Normalized, such as `1.2.3.0`; undefined without a version file. */
  get version(): string | undefined {
    return this.#version
  }

  async readNotes(): Promise<string> {
    const notes = await this.#readText('release-notes.md')
    if (notes === undefined) {
      throw notFound('file')
    }
    return notes
  }

  /**
   * True if a path resolves to an entry inside the folder, wherever the folder itself is: links out of the folder are
   * not followed (T08).
   */
  async holds(path: string): Promise<boolean> {
    const [folder, file] = await Promise.all([realOf(this.directory), realOf(join(this.directory, path))])
    return folder !== undefined && file !== undefined && file.startsWith(folder + sep)
  }

  /** Throws for a file that the build of its folder did not write. */
  async refuseForeign(path: string): Promise<void> {
    const relative = posix.normalize(path).replace(/^\/+/, '')
    const reason = await foreignReason(this.directory, relative, () =>
      this.#hashOnce(`/downloads/${relative}`, 'File not found'),
    )
    if (reason !== undefined) {
      throw new AppError(
        500,
        `${reason}. The server does not offer this file: build the agents again, or restore the folder.`,
      )
    }
  }

  /** Path of the installer for a system, below the origin. */
  installerPath(runtime: RuntimeId): string {
    const suffix = runtime.startsWith('win') ? '.ps1' : ''
    return `/downloads/${runtime}/${this.#fileName('Agent.Installer')}${suffix}`
  }

  async hasInstaller(runtime: RuntimeId): Promise<boolean> {
    return (await this.#stampOf(this.installerPath(runtime))) !== undefined
  }

  /** Path of the MSI package for a system, below the origin; null where none was built. */
  async packagePath(runtime: RuntimeId): Promise<string | null> {
    const path = `/downloads/${runtime}/${this.#fileName('Agent.msi')}`
    return (await this.#stampOf(path)) === undefined ? null : path
  }

  /** Address of a system's agent, and its hashes, which are recomputed when the files change. */
  async offered(runtime: RuntimeId): Promise<OfferedFiles> {
    const bundleDownloadUrl = `/downloads/${runtime}/${this.#fileName('Agent.bundle.zip')}`
    // For Windows our builds have a script, those of other makers a program.
    const installer = this.installerPath(runtime)
    const installerDownloadUrl = (await this.hasInstaller(runtime)) ? installer : installer.replace(/ps1$/, 'exe')
    const bundleSha256 = await this.#hash(bundleDownloadUrl, 'Bundle not found')
    const installerSha256 = await this.#hash(installerDownloadUrl, 'Installer not found')
    const tar = bundleDownloadUrl.replace(/zip$/, 'tar.gz')
    const tarSha256 = (await this.#stampOf(tar)) === undefined ? null : await this.#hash(tar, 'Bundle not found')
    if (this.#version === undefined) {
      throw new AppError(500, 'Failed to retrieve agent version.')
    }
    const version = this.#version
    const urls = { bundleDownloadUrl, installerDownloadUrl }
    return { ...this.#brand, runtime, version, ...urls, bundleSha256, tarSha256, installerSha256 }
  }

  #fileName(name: string) {
    return `${this.#brand.brandName.replace(/[^A-Za-z0-9]/g, '_')}.${name}`
  }

  #fileOf(path: string) {
    return join(this.directory, path.slice('/downloads/'.length))
  }

  async #readText(name: string): Promise<string | undefined> {
    return (await this.holds(name))
      ? await readFile(join(this.directory, name), 'utf8').catch(() => undefined)
      : undefined
  }

  /** Changes whenever the file does; undefined without a file. */
  async #stampOf(path: string): Promise<string | undefined> {
    if (!(await this.holds(path.slice('/downloads/'.length)))) {
      return undefined
    }
    const found = await stat(this.#fileOf(path), { bigint: true }).catch(() => undefined)
    return found?.isFile() ? `${found.size}:${found.mtimeNs}:${found.ino}` : undefined
  }

  async #hash(path: string, missing: string): Promise<string> {
    const sha256 = await this.#hashOnce(path, missing)
    await this.refuseForeign(path.slice('/downloads'.length))
    return sha256
  }

  /** SHA-256 of a file, cached until the file changes. */
  async #hashOnce(path: string, missing: string): Promise<string> {
    const file = this.#fileOf(path)
    const stamp = await this.#stampOf(path)
    if (stamp === undefined) {
      throw new AppError(404, missing)
    }
    const known = this.#hashes.get(file)
    if (known?.stamp === stamp) {
      return known.sha256
    }
    const sha256 = hashFile(file)
    this.#hashes.set(file, { stamp, sha256 })
    // A failure is not cached: the file may be readable the next time.
    sha256.catch(() => this.#hashes.delete(file))
    return sha256
  }
}

const realOf = (path: string) => realpath(path).catch(() => undefined)

/** 2 to 4 numbers with dots, padded to 4, without byte order mark and line ends. */
function readVersion(text: string | undefined): string | undefined {
  const trimmed = text?.replace(/^\ufeff/, '').trim() ?? ''
  return /^\d+(\.\d+){1,3}$/.test(trimmed) ? [...trimmed.split('.'), '0', '0'].slice(0, 4).join('.') : undefined
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer)
  }
  return hash.digest('hex').toUpperCase()
}
