import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../call/call.ts'

export const fileEnding = '.recording'

/** Folder of the recordings, in the data folder. */
export const folderOf = ({ config }: Pick<App, 'config'>): string => join(config.dataDirectory, 'recordings')

export const pathOf = (app: Pick<App, 'config'>, id: string): string => join(folderOf(app), `${id}${fileEnding}`)

export async function createFolder(app: Pick<App, 'config'>): Promise<void> {
  await mkdir(folderOf(app), { recursive: true, mode: 0o700 })
}

/** Context of a sealed data key. */
export const keyContext = (id: string): string => `recordings/${id}/key`
