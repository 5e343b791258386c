import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hourMs } from '../../shared/durations.ts'
import type { AgentReleaseStatement } from '../../shared/agent-release.ts'
import { zeroId } from '../../shared/contract/fields.ts'
import { AgentBundleMetadataDto, runtimes, type RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import { AgentDueDto } from '../../shared/dtos/update.ts'
import { bestEffort } from '../base/best-effort.ts'
import type { Cancel, Clock } from '../base/clock.ts'
import { makePrivateFolder } from '../platform/folders.ts'
import type { Log } from '../base/log.ts'
import { agentVersion } from '../base/version.ts'
import { brandName, publisher, type Paths } from '../base/paths.ts'
import { platform } from '../platform/index.ts'
import type { ProcessRules } from '../platform/platform.ts'
import { loadSettings, saveSettings } from '../trust/settings.ts'
import type { ServerAccess } from '../trust/access.ts'
import { readRelease, RefusedRelease } from '../trust/release.ts'

export interface UpdateDependencies {
  clock: Clock
  log: Log
  random?: () => number
  paths: Paths
  access: ServerAccess
  tenantId: string
  instanceId?: string | undefined
  dataDir?: string | undefined
  /** Disables automatic checks; only updates requested by the server are installed. */
  isAutomaticOff: boolean
  /** Starts the installer, which outlives this agent; its output goes to a file. */
  start?: ProcessRules['startOutliving']
  /** Called with the reason when an update is refused, and with null when no refusal is left. */
  onRefusal?: (reason: string | null) => void
}

interface Installation {
  /** Resolves with the reason if this agent still runs at the end of the installer, which stops it in time to replace it. */
  failed: Promise<string>
}

const checkEveryMs = 6 * hourMs
/** Delay after connecting, plus a random part, so that after a restart of the server not all devices update at once. */
const afterConnectMs = 30_000
const randomPartMs = 90_000
const limitMs = 15 * 60_000
const mostInstallerBytes = 64 * 1024 * 1024

/** Trimmed content of a file; empty for a missing one. */
const textIn = (file: string) => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
const digestIn = (file: string) => textIn(file).toUpperCase()

/** Reason at the end of what an installer wrote; undefined if it named none. */
const failureIn = (written: string) => /^Error: (.+)$/.exec(written.trimEnd().split('\n').at(-1) ?? '')?.[1]

/** Log folder for installers started by this agent, below the agent's own. */
export const installerLogFolder = ({ logFolder }: Pick<Paths, 'logFolder'>): string => join(logFolder, 'Installer')

/**
 * Keeps an installed agent at the version that its server offers. The server's installer does the work: it puts the new
 * version beside the one that runs, which switches to itself, and back when it does not come online. One that was started
 * from its sources has no bundle and is not updated.
 */
export class Updates {
  readonly #deps: UpdateDependencies
  #isChecking = false
  #isForcedNext = false
  #hasStarted = false
  #isRefusing = false
  #cancelNext: Cancel = () => {}
  #cancelRepeated: Cancel | undefined

  constructor(deps: UpdateDependencies) {
    this.#deps = deps
  }

  /** Call when the server has accepted this device: schedules the first check soon, then periodic checks. */
  connected(): void {
    const { clock, isAutomaticOff, random = Math.random } = this.#deps
    if (isAutomaticOff) {
      return
    }
    this.#cancelNext()
    this.#cancelNext = clock.after(afterConnectMs + random() * randomPartMs, () => void this.check())
    this.#cancelRepeated ??= clock.every(checkEveryMs, () => void this.check())
  }

  /** Whether an installer was started, which will stop this agent. */
  get hasStarted(): boolean {
    return this.#hasStarted
  }

  stop(): void {
    this.#cancelNext()
    this.#cancelRepeated?.()
  }

  /**
   * Checks once; `isForced` retries a bundle that has failed before, also after a check that is under way. Failures are
   * logged.
   */
  async check({ isForced = false } = {}): Promise<void> {
    if (this.#isChecking) {
      this.#isForcedNext ||= isForced
      return
    }
    this.#isChecking = true
    await this.#checkOnce(isForced)
    while (this.#isForcedNext && !this.#hasStarted) {
      this.#isForcedNext = false
      await this.#checkOnce(true)
    }
    this.#isForcedNext = false
    this.#isChecking = false
  }

  async #checkOnce(isForced: boolean) {
    try {
      const installation = await this.#update(isForced)
      this.#tellRefusal(null)
      void installation?.failed.then((reason) => this.#noteFailure(reason))
    } catch (error) {
      this.#deps.log.warn({ reason: (error as Error).message }, 'The agent was not updated')
      if (error instanceof RefusedRelease) {
        this.#tellRefusal(error.message)
      }
    }
  }

  #tellRefusal(reason: string | null): void {
    if (reason !== null || this.#isRefusing) {
      this.#isRefusing = reason !== null
      this.#deps.onRefusal?.(reason)
    }
  }

  async #update(isForced: boolean): Promise<Installation | undefined> {
    const { log, access, tenantId, paths } = this.#deps
    const runtime = platform.program.runtimes[process.arch]
    const installed = digestIn(paths.bundleFile)
    if (!runtime || installed === '') {
      return undefined
    }
    const signal = AbortSignal.timeout(limitMs)
    const key = await access.releaseKey()
    const metadata = await this.#metadata(runtime, signal)
    if (metadata.brandName !== brandName || metadata.publisher !== publisher) {
      log.warn({ brand: metadata.brandName }, 'The server offers an agent of another brand')
      return undefined
    }
    const release = key === undefined ? undefined : readRelease(metadata, { key, runtime })
    const bundles = [metadata.bundleSha256.toUpperCase(), release?.tarSha256]
    if (bundles.includes(installed)) {
      this.#noteBuild(release)
      log.debug({ version: metadata.version }, 'There is no update')
    } else if (!isForced && bundles.includes(digestIn(paths.failedBundleFile))) {
      this.#noteBuild(release)
      // The agent that started the installer was stopped by that installer, so this agent reports the failure.
      throw new RefusedRelease(
        failureIn(textIn(this.#installerLog)) ?? 'The installation failed: see the log of the installer.',
      )
    } else if (!isForced && !(await this.#isDue(signal))) {
      log.debug({ version: metadata.version }, 'Other devices try the update first')
    } else if (tenantId === zeroId) {
      log.warn({}, 'This device has no tenant of its own, so it cannot be updated: install it again with one')
    } else {
      this.#refuseOlder(release)
      this.#noteBuild(release)
      const installer = await this.#download(metadata, signal)
      log.info({ version: metadata.version, serverUri: access.origin }, 'Updating the agent')
      return await this.#startInstaller(installer, release)
    }
    return undefined
  }

  /** Whether the server lets this device update by itself; servers without rings do not know the question. */
  async #isDue(signal: AbortSignal): Promise<boolean> {
    const { access, paths } = this.#deps
    const deviceId = loadSettings(paths)?.AppOptions.DeviceId ?? zeroId
    const path = `/api/appliance/v1/updates/agents/due/${deviceId}?version=${encodeURIComponent(agentVersion)}`
    const answer = await access.fetch(path, { signal, redirect: 'error' })
    const body: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined
    return AgentDueDto.safeParse(body).data?.isDue ?? true
  }

  async #startInstaller(installer: string, release: AgentReleaseStatement | undefined): Promise<Installation> {
    const { paths, start = platform.processes.startOutliving } = this.#deps
    const folder = installerLogFolder(paths)
    const command = platform.scriptCommand(installer, this.#arguments(release))
    makePrivateFolder(folder)
    const before = textIn(this.#installerLog)
    const { ended } = await start(command, this.#installerLog)
    this.#hasStarted = true
    const reasonOf = (how: string) =>
      failureIn(textIn(this.#installerLog).slice(before.length)) ??
      `The installer ended with ${how} and replaced nothing: see its log.`
    return { failed: ended.then(reasonOf) }
  }

  #noteFailure(reason: string): void {
    this.#hasStarted = false
    this.#deps.log.warn({ reason }, 'The installer has failed')
    this.#tellRefusal(reason)
  }

  get #installerLog(): string {
    return join(installerLogFolder(this.#deps.paths), 'Installer.log')
  }

  /**
   * Throws for a release older than the newest seen: an old release with a known vulnerability is as dangerous as a
   * forged one.
   */
  #refuseOlder(release: AgentReleaseStatement | undefined): void {
    const newest = loadSettings(this.#deps.paths)?.AppOptions.ReleaseBuild ?? 0
    if (release && release.build < newest) {
      const [older, newer] = [release.build, newest].map((build) => new Date(build).toISOString())
      throw new RefusedRelease(
        `Agent ${release.version} was signed on ${older}, and this device has seen one of ${newer}. To go back, allow ` +
          `it on the Deploy page of the server.`,
      )
    }
  }

  /** Records the build before installation, so that older builds are rejected from then on. */
  #noteBuild(release: AgentReleaseStatement | undefined): void {
    const { paths } = this.#deps
    const settings = loadSettings(paths)
    if (release && settings && release.build > (settings.AppOptions.ReleaseBuild ?? 0)) {
      const AppOptions = { ...settings.AppOptions, ReleaseBuild: release.build }
      bestEffort(() => saveSettings(paths, { ...settings, AppOptions }))
    }
  }

  async #metadata(runtime: RuntimeId, signal: AbortSignal) {
    const path = `/api/agent/updates/get-bundle-metadata/${runtimes[runtime]}`
    const answer = await this.#deps.access.fetch(path, { signal, redirect: 'error' })
    if (!answer.ok) {
      throw new Error(`The server offers no agent for ${runtime}: ${answer.status}`)
    }
    return AgentBundleMetadataDto.parse(await answer.json())
  }

  /** Downloads the installer into a private file, and verifies its hash against the metadata. */
  async #download({ installerDownloadUrl, installerSha256 }: AgentBundleMetadataDto, signal: AbortSignal) {
    const { access, paths } = this.#deps
    const url = new URL(installerDownloadUrl, access.origin)
    if (url.origin !== access.origin) {
      throw new Error(`The installer is to come from ${url.origin}, which is not the server.`)
    }
    const answer = await access.fetch(`${url.pathname}${url.search}`, { signal, redirect: 'error' })
    if (!answer.ok || Number(answer.headers.get('content-length')) > mostInstallerBytes) {
      throw new Error(`The installer was not downloaded: ${answer.status}`)
    }
    const content = Buffer.from(await answer.arrayBuffer())
    const hash = createHash('sha256').update(content).digest('hex').toUpperCase()
    if (hash !== installerSha256.toUpperCase()) {
      throw new RefusedRelease('The installer is damaged: its SHA-256 is not the one that the server gave.')
    }
    makePrivateFolder(paths.settingsFolder)
    rmSync(paths.installerFile, { force: true })
    writeFileSync(paths.installerFile, content, { mode: 0o700, flag: 'wx' })
    return paths.installerFile
  }

  #arguments(release: AgentReleaseStatement | undefined): string[] {
    const { access, tenantId, instanceId, dataDir } = this.#deps
    const bundle = release?.[platform.program.bundleDigest]
    if (bundle === null) {
      throw new RefusedRelease('The server offers no bundle for this system: its tar.gz is missing.')
    }
    return [
      'install',
      '--server-uri',
      access.origin,
      // Pins the key that was just proved: the installer then downloads from no other server.
      ...(access.shownPin ? ['--server-pin', access.shownPin] : []),
      '--tenant-id',
      tenantId,
      ...(bundle ? ['--bundle-sha256', bundle.toLowerCase()] : []),
      ...(instanceId ? ['--instance-id', instanceId] : []),
      ...(dataDir ? ['--data-dir', dataDir] : []),
    ]
  }
}
