import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { bestEffort } from './best-effort.ts'
import { makePrivateFolder, refusePreparedFolder } from './folders.ts'
import { plainText } from './plain-text.ts'

/** Writes one line per event: fields first, then the sentence. Callers never pass secrets. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

type Write = (line: string) => void

const maxFileBytes = 5 * 1024 * 1024

/** Appends to `LogFile.log`; a full file is rotated to `LogFile.1.log`, which replaces the previous rotation. */
export function logFile(folder: string): Write {
  refusePreparedFolder(folder)
  const file = join(folder, 'LogFile.log')
  let descriptor: number | undefined
  let size = 0
  const rotate = () => {
    if (descriptor !== undefined && size > maxFileBytes) {
      // Close only once: the number may belong to another file by the next line.
      const full = descriptor
      descriptor = undefined
      closeSync(full)
      renameSync(file, join(folder, 'LogFile.1.log'))
    }
  }
  const open = () => {
    makePrivateFolder(folder)
    const opened = openSync(file, 'a', 0o600)
    size = fstatSync(opened).size
    return opened
  }
  return (line) =>
    bestEffort(() => {
      rotate()
      size += writeSync((descriptor ??= open()), line)
    })
}

/**
 * Quotes text as JSON, and also escapes control and format characters that JSON leaves unescaped and terminals
 * interpret.
 */
const quote = (text: string) =>
  JSON.stringify(text).replaceAll(/\p{C}/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

const showValue = (value: unknown) => {
  const text = value instanceof Error ? value.message : typeof value === 'string' ? value : JSON.stringify(value)
  return /^[^\s"=\p{C}]+$/u.test(text) ? text : quote(text)
}

export function createLog(outputs: readonly Write[]): Log {
  const write = (level: string) => (fields: object, message: string) => {
    const details = Object.entries(fields).map(([name, value]) => ` ${name}=${showValue(value)}`)
    const line = `${new Date().toISOString()} ${level} ${plainText(message, Infinity)}${details.join('')}\n`
    outputs.forEach((output) => output(line))
  }
  return { debug: () => {}, info: write('INFO'), warn: write('WARN'), error: write('ERROR') }
}
