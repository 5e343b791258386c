import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import { installation } from '../engines/process/installation.ts'
import type { Clock } from '../ground/clock.ts'
import type { Log } from '../ground/log.ts'
import { preparedFolderProblem } from '../ground/prepared-path.ts'
import { StartError } from '../ground/start-error.ts'
import type { Config } from '../settings/config.ts'
import { AgentBuilds } from './builds.ts'
import { AgentRelease } from './agent-release.ts'

/** Explains how other users may change the agents that this server signs; undefined if none can. */
const downloadsProblem = (folder: string): string | undefined =>
  [folder, ...RuntimeId.options.map((runtime) => join(folder, runtime))]
    .map(preparedFolderProblem)
    .find((each) => each !== undefined)

function downloadsDirectoryOf({ downloadsDirectory: named }: Config, log: Log): string {
  const usual = resolve('downloads')
  if (named !== undefined) {
    const problem = downloadsProblem(named)
    if (problem !== undefined) {
      log.warn({}, `Agents are signed and offered from ${named}, so its writers can run code on devices: ${problem}.`)
    }
    return named
  }
  if (!existsSync(usual)) {
    return installation.builtDownloadsDirectory
  }
  const problem = downloadsProblem(usual)
  if (problem !== undefined) {
    throw new StartError(`Agents are not offered from ${usual}: ${problem}, or name the folder (DownloadsDirectory).`)
  }
  return usual
}

interface PackagesDependencies {
  clock: Clock
  log: Log
  /** Source folder of this server, whose scripts build agents; by default the one that it runs from. */
  checkout?: string
}

/** Opens the downloads folder, and the builds of agents where a checkout makes them. */
export async function openAgentPackages(
  config: Config,
  { log, clock, checkout: given }: PackagesDependencies,
  onStop: (stop: () => void) => void,
) {
  const downloadsDirectory = downloadsDirectoryOf(config, log)
  const agentRelease = new AgentRelease(downloadsDirectory, config.branding)
  onStop(await agentRelease.watch(clock))
  // Builds are written to the default folder only; a configured folder is managed by its owner.
  const isUsual = downloadsDirectory === installation.builtDownloadsDirectory
  const checkout = given ?? (isUsual ? installation.checkout : undefined)
  const agentBuilds = new AgentBuilds({ checkout, clock, log })
  onStop(() => agentBuilds.stop())
  return { agentRelease, agentBuilds }
}
