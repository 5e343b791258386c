import type { Connection } from './connection.ts'

/** The numbers that this display server has for what programs call clipboards and forms of text. */
export interface SelectionAtoms {
  clipboard: number
  utf8: number
  latin1: number
  text: number
  targets: number
  incremental: number
  /** Our property that answers are put into. */
  answer: number
}

export async function readAtoms(connection: Connection): Promise<SelectionAtoms> {
  const names = ['CLIPBOARD', 'UTF8_STRING', 'STRING', 'TEXT', 'TARGETS', 'INCR', 'FARHAND_CLIPBOARD']
  const [clipboard = 0, utf8 = 0, latin1 = 0, text = 0, targets = 0, incremental = 0, answer = 0] = await Promise.all(
    names.map((name) => connection.atom(name)),
  )
  return { clipboard, utf8, latin1, text, targets, incremental, answer }
}
