/** What a person can ask of the shell; menu and tray offer the same ones. */
export interface Actions {
  show(): void
  openInBrowser(): void
  openDataFolder(): void
  openLogFolder(): void
  restart(): void
  setStartAtLogin(isWanted: boolean): void
  quit(): void
}
