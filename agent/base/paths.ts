import { posix, win32 } from 'node:path'
import { environment, isRoot, type Options } from './config.ts'

export const brandName = 'Farhand'
export const publisher = 'Farhand'

export interface Paths {
  /** Folder for settings, state and pid file; mode 0700. */
  settingsFolder: string
  settingsFile: string
  /** Settings with a new key, until the server has accepted the key. */
  pendingFile: string
  /** State of the running agent, for `status` and `install`. */
  stateFile: string
  pidFile: string
  /** Last time that another server answered in place of ours. */
  encounterFile: string
  /** SHA-256 of the bundle that is installed. */
  bundleFile: string
  /** The same of the last one that did not come online. */
  failedBundleFile: string
  /** Installer of an update. */
  installerFile: string
  logFolder: string
  /** Notes of unfinished uploads to this device. */
  partsFolder: string
  /** Folder in which the installer puts the versions of the program; install/versions.ts says how. */
  programFolder: string
}

/** System-specific folders for services and for users; `--data-dir` uses a single folder instead. */
export function pathsFor(
  { instanceId = 'default', dataDir }: Pick<Options, 'instanceId' | 'dataDir'>,
  system: NodeJS.Platform = process.platform,
  asRoot = isRoot,
): Paths {
  const join = (...parts: string[]) => (system === 'win32' ? win32 : posix).join(...parts)
  const inFolder = (settingsFolder: string, logFolder: string, programFolder: string): Paths => ({
    settingsFolder,
    settingsFile: join(settingsFolder, 'appsettings.json'),
    pendingFile: join(settingsFolder, 'appsettings.pending.json'),
    stateFile: join(settingsFolder, 'state.json'),
    pidFile: join(settingsFolder, 'agent.pid'),
    encounterFile: join(settingsFolder, 'wrong-identity.json'),
    bundleFile: join(settingsFolder, '.farhand-bundle.sha256'),
    failedBundleFile: join(settingsFolder, '.farhand-bundle.failed'),
    installerFile: join(settingsFolder, system === 'win32' ? 'Installer.ps1' : 'Installer.sh'),
    logFolder,
    partsFolder: join(settingsFolder, 'uploads'),
    programFolder,
  })
  if (dataDir) {
    return inFolder(dataDir, join(dataDir, 'Logs'), join(dataDir, 'program'))
  }
  if (system === 'win32') {
    const settings = join(environment.programData, brandName, instanceId)
    return inFolder(
      settings,
      join(settings, 'Logs', `${brandName}.Agent`),
      join(environment.programFiles, brandName, instanceId),
    )
  }
  if (!asRoot) {
    const settings = join(environment.home, '.farhand', instanceId)
    return inFolder(settings, join(settings, 'Logs'), join(settings, 'program'))
  }
  const programs = system === 'darwin' ? '/Library/Application Support' : '/usr/local/bin'
  return inFolder(
    join('/etc/farhand', instanceId),
    join('/var/log/farhand', instanceId, `${brandName}.Agent`),
    join(programs, brandName, instanceId),
  )
}
