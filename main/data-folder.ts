import { dialog, shell } from 'electron'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { holdsData, moveDataFolder, type createLog } from '../server/app.ts'
import type { ServerState } from '../shared/ipc.ts'
import { dataFolder } from './paths.ts'
import type { SettingsStore } from './settings.ts'

/** Data folder of the settings. After a move that was interrupted, the folder that holds the data. */
export function dataFolderOf(settings: SettingsStore): string {
  const { dataFolder: moved, movedFrom } = settings.read()
  if (moved === undefined) {
    return dataFolder()
  }
  return movedFrom !== undefined && !holdsData(moved) && holdsData(movedFrom) ? movedFrom : moved
}

/** Opens the data folder in the file manager, or explains that the folder of a service is closed to this user. */
export async function showDataFolder(folder: string, { isService }: ServerState): Promise<void> {
  if (isService && !holdsData(folder)) {
    const message = 'This folder belongs to the service of this computer. Only the account of the service can open it.'
    await dialog.showMessageBox({ type: 'info', message })
    return
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await shell.openPath(folder)
}

interface Move {
  from: string
  /** Whether the environment or a settings file names the folder: a move cannot change that. */
  isNamedElsewhere: boolean
  settings: SettingsStore
  log: ReturnType<typeof createLog>
  stop(): Promise<void>
  start(): Promise<unknown>
}

/** Asks for a folder, and moves the data there while the server is stopped. */
export async function askToMoveDataFolder({ from, isNamedElsewhere, settings, log, stop, start }: Move): Promise<void> {
  if (isNamedElsewhere) {
    const message = 'The data folder is named in Service_DataDirectory. Move it there by hand, and change that setting.'
    await dialog.showMessageBox({ type: 'info', message })
    return
  }
  const chosen = await dialog.showOpenDialog({
    title: 'Choose where to put the data folder',
    buttonLabel: 'Move Here',
    properties: ['openDirectory', 'createDirectory'],
  })
  const [parent] = chosen.filePaths
  if (chosen.canceled || parent === undefined) {
    return
  }
  const to = path.join(parent, 'Farhand Data')
  const { response } = await dialog.showMessageBox({
    type: 'question',
    buttons: ['Cancel', 'Move'],
    defaultId: 0,
    cancelId: 0,
    message: `Move the data to ${to}?`,
    detail: 'The server stops during the move. Devices reconnect when it runs again.',
  })
  if (response !== 1) {
    return
  }
  await stop()
  try {
    settings.write({ dataFolder: to, movedFrom: from })
    await moveDataFolder(from, to, log)
  } catch (error) {
    settings.write({ dataFolder: from })
    const detail = error instanceof Error ? error.message : String(error)
    await dialog.showMessageBox({ type: 'error', message: 'The data folder was not moved.', detail })
  }
  await start()
}
