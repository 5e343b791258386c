export const brandName = 'Farhand'
export const publisher = 'Farhand'

/** Files and folders of one instance of the agent. */
export interface Paths {
  /** Folder for settings, state and pid file; mode 0700. */
  settingsFolder: string
  settingsFile: string
  /** Settings with a new key, until the server has accepted the key. */
  pendingFile: string
  /** State of the running agent, for `status` and `install`. */
  stateFile: string
  pidFile: string
  /** Tokens with which desktops are shown again without asking their persons. */
  grantsFile: string
  /** Last time that another server answered in place of ours. */
  encounterFile: string
  /** Standing answers of the people at this device. */
  consentFile: string
  /** Restart or shutdown that was ordered for later. */
  powerOrderFile: string
  /** SHA-256 of the bundle that is installed. */
  bundleFile: string
  /** SHA-256 of the last bundle that did not come online. */
  failedBundleFile: string
  installerFile: string
  logFolder: string
  /** Visits to this device, which its people may read. */
  visitsFile: string
  /** Notes of unfinished uploads to this device. */
  partsFolder: string
  /** Folder in which the installer puts the versions of the program; install/versions.ts says how. */
  programFolder: string
}
