import type { Connection } from './connection.ts'

/** Atoms of this display server for the clipboard and its text encodings. */
export interface SelectionAtoms {
  clipboard: number
  utf8: number
  latin1: number
  text: number
  targets: number
  incremental: number
  /** Property of our window that receives replies. */
  answer: number
}

export async function readAtoms(connection: Connection): Promise<SelectionAtoms> {
  const names = ['CLIPBOARD', 'UTF8_STRING', 'STRING', 'TEXT', 'TARGETS', 'INCR', 'FARHAND_CLIPBOARD']
  const [clipboard = 0, utf8 = 0, latin1 = 0, text = 0, targets = 0, incremental = 0, answer = 0] = await Promise.all(
    names.map((name) => connection.atom(name)),
  )
  return { clipboard, utf8, latin1, text, targets, incremental, answer }
}
