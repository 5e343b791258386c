/** Actions of the shell, offered by menu and tray. */
export interface Actions {
  show(): void
  openInBrowser(): void
  openDataFolder(): void
  moveDataFolder(): void
  openBackup(): void
  openLogFolder(): void
  restart(): void
  setStartAtLogin(isWanted: boolean): void
  /** Whether this computer stays awake during remote sessions. */
  staysAwake(): boolean
  setStaysAwake(isWanted: boolean): void
  showAbout(): void
  quit(): void
}
