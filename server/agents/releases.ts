import type { Transaction } from 'sequelize'
import type { AgentReleaseStatement } from '../../shared/agent-release.ts'
import { runtimes, type AgentBundleMetadataDto, type RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import type { AgentReleaseDto } from '../../shared/dtos/agent-release.ts'
import { systemCall, type App, type Call, type OpenCall } from '../call/call.ts'
import { conflict } from '../ground/errors.ts'
import type { OfferedFiles } from './agent-release.ts'
import { instant } from '../ground/instant.ts'
import type { AgentReleaseRow } from './tables.ts'

type Files = Omit<AgentReleaseRow, 'build'>

const filesOf = ({ runtime, version, bundleSha256, tarSha256, installerSha256 }: OfferedFiles): Files => ({
  runtime,
  version,
  bundleSha256,
  tarSha256,
  installerSha256,
})

/** Newest signed release that matches, by files or by system. */
const newest = ({ models }: App, where: Partial<AgentReleaseRow>, transaction?: Transaction) =>
  models.AgentRelease.findOne({ where, order: [['build', 'DESC']], transaction })

/** Records files as a release that is newer than every other. */
async function addRelease(app: App, files: Files, transaction: Transaction): Promise<AgentReleaseRow> {
  const last = await newest(app, {}, transaction)
  const row = { ...files, build: Math.max(app.clock.now(), (last?.build ?? 0) + 1) }
  await app.models.AgentRelease.create(row, { transaction })
  return row
}

/** Records files that the server finds in its downloads folder for the first time, as its own deed. */
async function addFound(app: App, files: Files, transaction: Transaction): Promise<AgentReleaseRow> {
  const { actor } = systemCall(app)
  const { runtime, version, bundleSha256 } = files
  const details = { runtime, version, bundleSha256 }
  await app.audit.recordIn(transaction, actor, [{ kind: 'settings.release-signed', tenantId: null, details }])
  app.log.info({ actor, ...details, directory: app.agentRelease.directory }, 'New agent files were signed.')
  return await addRelease(app, files, transaction)
}

/** Release of the files in the downloads folder: the recorded one, or a new one. */
async function releaseOf(app: App, files: Files): Promise<AgentReleaseRow> {
  return (
    (await newest(app, files)) ??
    // Checked again under the write lock: a concurrent request may have recorded the release.
    (await app.database.write(
      async (transaction) => (await newest(app, files, transaction)) ?? (await addFound(app, files, transaction)),
    ))
  )
}

/** Agent offered for a system, with the release signature that this server's agents require. */
export async function offeredAgent({ app }: OpenCall, runtime: RuntimeId): Promise<AgentBundleMetadataDto> {
  const { tarSha256, ...metadata } = await app.agentRelease.offered(runtime)
  const files = filesOf({ ...metadata, tarSha256 })
  const { build } = await releaseOf(app, files)
  const statement: AgentReleaseStatement = { purpose: 'farhand-agent-1', ...files, runtime, build }
  const bytes = Buffer.from(JSON.stringify(statement))
  const release = { statement: bytes.toString('base64'), signature: await app.releaseKeys.sign(bytes) }
  return { ...metadata, release }
}

/** Offered release per system, and the newer release of which agents would reject the offered one. */
export async function listReleases({ app }: Call): Promise<AgentReleaseDto[]> {
  const releases: AgentReleaseDto[] = []
  for (const runtime of Object.keys(runtimes) as RuntimeId[]) {
    const offered = await app.agentRelease.offered(runtime).catch(() => undefined)
    if (offered) {
      const { build, version } = await releaseOf(app, filesOf(offered))
      const last = await newest(app, { runtime })
      const newer = last && last.build > build ? { version: last.version, signedAt: instant(last.build) } : null
      releases.push({ runtime, build, version, signedAt: instant(build), newer })
    }
  }
  return releases
}

/**
 * Permits a downgrade to an older offered release by signing its files again as the newest release. Build numbers that
 * agents have seen only ever grow, so an earlier permit cannot be replayed.
 */
export async function allowStepBack(call: Call, build: number): Promise<AgentReleaseDto[]> {
  const { app, actor } = call
  const offered = (await listReleases(call)).find((release) => release.build === build)
  if (!offered?.newer) {
    throw conflict('This release is not offered any more, or agents take it as it is. Look at the list again.')
  }
  const files = filesOf(await app.agentRelease.offered(offered.runtime))
  await app.database.write(async (transaction) => {
    if ((await newest(app, files, transaction))?.build !== build) {
      throw conflict('The downloads folder has changed just now. Look at the list again.')
    }
    await addRelease(app, files, transaction)
    const { runtime, version } = offered
    await app.audit.recordIn(transaction, actor, [
      { kind: 'settings.release-allowed', tenantId: null, details: { runtime, version } },
    ])
  })
  app.log.info({ actor, runtime: offered.runtime, version: offered.version }, 'Agents may go back to a release.')
  return await listReleases(call)
}

/** Rotates the key that signs agents. Agents follow, because the previous key names the new key. */
export async function rotateReleaseKey({ app, actor }: Call): Promise<void> {
  await app.releaseKeys.rotate()
  await app.audit.record(actor, { kind: 'settings.release-key-rotated', tenantId: null })
  app.log.info({ actor }, 'The key that signs agents was replaced.')
}
