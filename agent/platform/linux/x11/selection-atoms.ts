import { gnomeFilesType, pictureType, uriListType } from '../file-uris.ts'
import type { Connection } from './connection.ts'

/** Atoms of this display server for the clipboard and the types of its contents. */
export interface SelectionAtoms {
  clipboard: number
  utf8: number
  latin1: number
  text: number
  targets: number
  incremental: number
  /** Property of our window that receives replies. */
  answer: number
  picture: number
  uriList: number
  gnomeFiles: number
}

const names: Record<keyof SelectionAtoms, string> = {
  clipboard: 'CLIPBOARD',
  utf8: 'UTF8_STRING',
  latin1: 'STRING',
  text: 'TEXT',
  targets: 'TARGETS',
  incremental: 'INCR',
  answer: 'FARHAND_CLIPBOARD',
  picture: pictureType,
  uriList: uriListType,
  gnomeFiles: gnomeFilesType,
}

export async function readAtoms(connection: Connection): Promise<SelectionAtoms> {
  const entries = Object.entries(names).map(async ([key, name]) => [key, await connection.atom(name)] as const)
  return Object.fromEntries(await Promise.all(entries)) as Record<keyof SelectionAtoms, number>
}
