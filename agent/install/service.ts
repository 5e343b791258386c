import { join } from 'node:path'
import type { Command, Options } from '../base/arguments.ts'
import type { Paths } from '../base/paths.ts'
import { programFile } from '../base/version.ts'
import { platform } from '../platform/index.ts'
import { pathsFor } from '../platform/paths.ts'
import type { ServiceSpec } from '../platform/service-manager.ts'
import { ownVersion } from './versions.ts'

const { program } = platform

const optionsFor = (command: Command, { instanceId, dataDir }: Options) => [
  command,
  ...(instanceId ? ['--instance-id', instanceId] : []),
  ...(dataDir ? ['--data-dir', dataDir] : []),
]

/** Program and script that start a version; without a version, this program. */
function entryOf({ programFolder }: Paths, version: string | undefined): [string, string] {
  if (version === undefined) {
    return [process.execPath, programFile()]
  }
  const folder = program.isLinked ? programFolder : version
  return [join(folder, program.nodeName), join(folder, 'main.js')]
}

export function programArguments(command: Command, options: Options): [string, ...string[]] {
  const paths = pathsFor(options)
  return [...entryOf(paths, ownVersion(paths)), ...optionsFor(command, options)]
}

/** Command line to show to people; updates do not change its paths. */
export function commandForPeople(command: Command, options: Options): string {
  const paths = pathsFor(options)
  const [entry = ''] = program.entries
  const isNamed = !program.isLinked && ownVersion(paths) !== undefined
  return program.shellCommand(
    isNamed ? [join(paths.programFolder, entry), ...optionsFor(command, options)] : programArguments(command, options),
  )
}

/** Service definition of a version; without a version, of this program. */
export function serviceSpec(options: Options, paths: Paths, version?: string): ServiceSpec {
  const entry = entryOf(paths, version)
  return {
    instanceId: options.instanceId,
    run: [...entry, ...optionsFor('run', options), '--as-service'],
    uninstall: [...entry, ...optionsFor('uninstall', options)],
    version,
    paths,
  }
}
